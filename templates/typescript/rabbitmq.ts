/** What createConfirmChannel of amqplib answers. */
export interface ConfirmChannel {
  assertQueue(queue: string, options: object): Promise<unknown>;
  sendToQueue(
    queue: string,
    content: Uint8Array,
    options: object,
    confirmed: (err: unknown) => void,
  ): boolean;
}

declare const Buffer: { from(text: string): Uint8Array };

// The queue is made where it is not there, as the workers make it.
async function sendToRabbitMQ(
  channel: ConfirmChannel,
  queue: string,
  payload: unknown,
  messageId: string,
): Promise<string> {
  const content = Buffer.from(json(payload));
  await channel.assertQueue(queue, {
    durable: true,
    arguments: {
      "x-queue-type": "quorum",
      "x-overflow": "reject-publish",
      "x-delivery-limit": 2147483647,
    },
  });
  await new Promise<void>((resolve, reject) => {
    channel.sendToQueue(
      queue,
      content,
      { persistent: true, contentType: "application/json", messageId },
      (err) => {
        if (err) {
          reject(err);
        } else {
          resolve();
        }
      },
    );
  });
  return messageId;
}
