// Makes the jobs of golden/brokers through the database and through each
// broker, every one of them twice. The argument says where they are; the job_id
// of each queue's job that the database has made comes out as JSON.
import assert from "node:assert/strict";
import { SQS } from "@aws-sdk/client-sqs";
import amqp from "amqplib";
import pg from "pg";
import {
  enqueueDigest,
  enqueueThumbnails,
  enqueueWebhooks,
  InfraiError,
  publishDigest,
  publishThumbnails,
  publishWebhooks,
} from "../brokers/node/producers_gen.js";

const at: {
  postgres: string;
  schema: string;
  sqs: string;
  queueUrl: string;
  rabbitmq: string;
  infrai: string;
  apiKey: string;
} = JSON.parse(process.argv[2] ?? "");

const text = 'quote " backslash \\ tab \t \u0001 é 漢字 \u2028 \ufffe\uffff';

// Through each broker: the key of the payload, or else the message's id, makes
// two messages one job.
const sqs = new SQS({
  region: "eu-central-1",
  endpoint: at.sqs,
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
});
const thumbnail = { event_id: `sqs ${text}` };
const sent = await publishThumbnails(sqs, at.queueUrl, thumbnail);
assert.notEqual(sent, "");
assert.notEqual(await publishThumbnails(sqs, at.queueUrl, thumbnail), sent);
await publishThumbnails(sqs, at.queueUrl, { event_id: "both", width: 3 });

const connection = await amqp.connect(at.rabbitmq);
const channel = await connection.createConfirmChannel();
const digest = { customer_id: `rabbitmq ${text} 🙂` };
assert.equal(await publishDigest(channel, digest, "m1"), "m1");
assert.equal(await publishDigest(channel, digest, "m1"), "m1");
assert.match(
  await publishDigest(channel, { customer_id: "own id" }),
  /^.{36}$/,
);
await connection.close();

const infrai = { apiKey: at.apiKey, baseUrl: `${at.infrai}/v1/` };
const webhook = { event_id: `infrai ${text} 🙂`, body: { a: [1, null] } };
const id = await publishWebhooks(infrai, webhook, "k1");
assert.notEqual(id, "");
assert.equal(await publishWebhooks(infrai, webhook, "k1"), id);
assert.notEqual(await publishWebhooks(infrai, webhook), id);
await assert.rejects(
  publishWebhooks({ ...infrai, apiKey: "other" }, webhook),
  (err) =>
    err instanceof InfraiError &&
    err.code === "UNAUTHORIZED" &&
    err.status === 401 &&
    !err.retryable &&
    err.message === "Infrai: the API key is not known [401]",
);

// Through the database, in the caller's transaction.
const client = new pg.Client({
  connectionString: at.postgres,
  options: `-c search_path=${at.schema}`,
});
await client.connect();
const made: Record<string, string> = {};
for (const enqueue of [
  () => enqueueThumbnails(client, { event_id: "both", width: 3 }),
  () => enqueueDigest(client, { customer_id: `sql ${text} 🙂` }, "a key"),
  () => enqueueWebhooks(client, { event_id: `sql ${text}`, body: [1.5] }),
]) {
  await client.query("begin");
  const first = await enqueue();
  await client.query("commit");
  const { jobId } = first;
  const answer = { jobId, state: "scheduled", samePayload: true };
  assert.deepEqual(first, { ...answer, duplicate: false });
  assert.deepEqual(await enqueue(), { ...answer, duplicate: true });
  made[jobId] = "";
}
await assert.rejects(
  enqueueDigest(client, {} as { customer_id: string }),
  /the payload lacks the field "customer_id"/,
);
await client.end();
console.log(JSON.stringify(Object.keys(made)));
