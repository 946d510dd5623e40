/** An SQS of @aws-sdk/client-sqs. */
export interface SQSClient {
  sendMessage(message: {
    QueueUrl: string;
    MessageBody: string;
  }): Promise<{ MessageId?: string | undefined }>;
}

async function sendToSQS(
  client: SQSClient,
  queueUrl: string,
  payload: unknown,
): Promise<string> {
  // SQS takes neither of the two as they are.
  const body = json(payload)
    .replaceAll("\ufffe", "\\ufffe")
    .replaceAll("\uffff", "\\uffff");
  const { MessageId } = await client.sendMessage({
    QueueUrl: queueUrl,
    MessageBody: body,
  });
  return MessageId ?? "";
}
