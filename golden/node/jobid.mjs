import { createHash } from "node:crypto";

// keyText is the text of a key: the JSON array of its fields, as JSON.stringify writes it. A time is RFC 3339 text in UTC
// without trailing zeros; a whole number above 2^53 is a BigInt.
export function keyText(fields) {
  const texts = fields.map((f) => (typeof f === "bigint" ? String(f) : JSON.stringify(f)));
  return `[${texts.join(",")}]`;
}

// jobID is the rule of schema/job_id.v1.json: SHA-256 over the length of the queue's name, the name and the key; its first
// 16 bytes, marked as a version 8 UUID.
export function jobID(queue, key) {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(Buffer.byteLength(queue)));
  const id = createHash("sha256").update(length).update(queue).update(key).digest().subarray(0, 16);
  id[6] = (id[6] & 0x0f) | 0x80;
  id[8] = (id[8] & 0x3f) | 0x80;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
