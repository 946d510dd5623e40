// Enqueues the jobs of golden/mysql from Node.js, through its SQL procedures, and checks what they answer. How to connect is
// the argument, as JSON; the jobs that it has made come out as JSON.
import assert from "node:assert/strict";
import mysql from "mysql2/promise";
import { jobID, keyText } from "./jobid.mjs";

const client = await mysql.createConnection(JSON.parse(process.argv[2]));

async function call(queue, payload, key = null) {
  const [[rows]] = await client.execute(`call pay_enqueue_${queue.replace(/[-.]/g, "_")}(?, ?)`, [JSON.stringify(payload), key]);
  assert.equal(rows.length, 1);
  const { job_id, duplicate, state, same_payload } = rows[0];
  return { job_id, duplicate: Boolean(duplicate), state, same_payload: Boolean(same_payload) };
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
const merchant = "0b7d1f6e-3c52-4a60-9d4e-6f2a8c1b5e90";
const made = [];
for (const { queue, payload, fields, key } of [
  { queue: "every-key", payload: order, fields: Object.values(order) },
  { queue: "payout", payload: { merchant, account: "é", amount: 7, rate: 0.1, lines: [{ cents: 5 }] }, fields: [merchant, "é", 7] },
  { queue: "ping", payload: {}, fields: ["evt_1"], key: "evt_1" },
]) {
  const job_id = jobID(queue, keyText(fields));

  // In the caller's transaction: what is rolled back was never there.
  await client.beginTransaction();
  assert.deepEqual(await call(queue, payload, key), { job_id, duplicate: false, state: "scheduled", same_payload: true });
  await client.rollback();

  await client.beginTransaction();
  assert.deepEqual(await call(queue, payload, key), { job_id, duplicate: false, state: "scheduled", same_payload: true });
  await client.commit();
  assert.deepEqual(await call(queue, payload, key), { job_id, duplicate: true, state: "scheduled", same_payload: true });
  made.push({ queue, job_id });
}

const other = await call("payout", { merchant, account: "é", amount: 7, rate: 0.2 });
assert.deepEqual([other.duplicate, other.same_payload], [true, false]);

const plain = await call("ping", {});
assert.equal(plain.duplicate, false);
made.push({ queue: "ping", job_id: plain.job_id });

for (const [payload, message] of [
  [{ merchant, account: "a" }, 'the payload lacks the field "amount"'],
  [{ merchant, account: "a", amount: 1.5 }, 'the field "amount" of the payload is not of type integer'],
  [{ merchant, account: "", amount: 1 }, 'the field "account" of the idempotency key is empty'],
]) {
  await assert.rejects(call("payout", payload), (err) => err.sqlState === "22023" && err.message.startsWith(`${message}: `));
}

await client.end();
console.log(JSON.stringify(made));
