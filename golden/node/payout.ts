// Makes a job of golden/mysql through its procedure, twice. How to connect is
// the argument, as JSON; the job_id comes out.
import assert from "node:assert/strict";
import mysql from "mysql2/promise";
import { enqueuePayout, enqueuePing } from "../mysql/node/producers_gen.js";

const pool = mysql.createPool(JSON.parse(process.argv[2] ?? ""));
const payout = {
  merchant: "0b7d1f6e-3c52-4a60-9d4e-6f2a8c1b5e90",
  account: 'é " \\ \u0001 漢字 🙂',
  amount: 9007199254740993n,
  rate: 0.1,
  lines: [{ cents: -5 }, { cents: -9223372036854775808n }],
};
const first = await enqueuePayout(pool, payout);
const { jobId } = first;
const answer = { jobId, state: "scheduled", samePayload: true };
assert.deepEqual(first, { ...answer, duplicate: false });

const connection = await pool.getConnection();
const again = await enqueuePayout(connection, { ...payout, rate: 0.2 });
assert.deepEqual(again, { ...answer, duplicate: true, samePayload: false });
assert.deepEqual((await enqueuePing(connection, {})).duplicate, false);
connection.release();
await pool.end();
console.log(jobId);
