// Enqueues the jobs of golden/producers from Node.js, through its SQL functions, and checks what they answer. The schema is
// the argument; the jobs that it has made come out as JSON.
import assert from "node:assert/strict";
import pg from "pg";
import { jobID, keyText } from "./jobid.mjs";

const client = new pg.Client({ connectionString: process.env.RETRYC_TEST_POSTGRES, options: `-c search_path=${process.argv[2]}` });
await client.connect();

async function call(queue, payload, key = null) {
  const name = `pay_enqueue_${queue.replace(/[-.]/g, "_")}`;
  const { rows } = await client.query(`select * from ${name}($1, key => $2)`, [payload, key]);
  assert.equal(rows.length, 1);
  return rows[0];
}

const order = {
  text: 'quote " backslash \\ tab \t control \u0001 é 漢字 🙂 \u2028',
  colour: "light green",
  order_id: "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  count: -7,
  total_cents: Number.MAX_SAFE_INTEGER,
  urgent: false,
  due_at: "2026-01-02T02:04:05.0000006Z",
};
const made = [];
for (const { queue, payload, fields, key } of [
  { queue: "every-key", payload: order, fields: Object.values(order) },
  { queue: "payout.created", payload: { payout_id: "p_1", account: 7, amount: 0.1, lines: [{ cents: 5 }] }, fields: ["p_1"] },
  { queue: "ping", payload: {}, fields: ["evt_1"], key: "evt_1" },
]) {
  const job_id = jobID(queue, keyText(fields));

  // In the caller's transaction: what is rolled back was never there.
  await client.query("begin");
  assert.deepEqual(await call(queue, payload, key), { job_id, duplicate: false, state: "scheduled", same_payload: true });
  await client.query("rollback");

  await client.query("begin");
  assert.deepEqual(await call(queue, payload, key), { job_id, duplicate: false, state: "scheduled", same_payload: true });
  await client.query("commit");
  assert.deepEqual(await call(queue, payload, key), { job_id, duplicate: true, state: "scheduled", same_payload: true });
  made.push({ queue, job_id });
}

const other = await call("payout.created", { payout_id: "p_1", account: 8 });
assert.deepEqual([other.duplicate, other.same_payload], [true, false]);

const plain = await call("ping", {});
assert.equal(plain.duplicate, false);
made.push({ queue: "ping", job_id: plain.job_id });

for (const [payload, message] of [
  [{ account: 1 }, 'the payload lacks the field "payout_id"'],
  [{ payout_id: "p_2", account: 1.5 }, 'the field "account" of the payload is not of type integer'],
  [{ payout_id: "", account: 1 }, 'the field "payout_id" of the idempotency key is empty'],
]) {
  await assert.rejects(call("payout.created", payload), (err) => err.code === "22023" && err.message === message && err.hint !== undefined);
}

await client.end();
console.log(JSON.stringify(made));
