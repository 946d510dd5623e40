import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { jobID, keyText } from "./jobid.mjs";

const { vectors } = JSON.parse(readFileSync(new URL("../../schema/job_id.v1.json", import.meta.url), "utf8"));

test("the rule gives the published job_ids", () => {
  assert.ok(vectors.length > 0);
  for (const v of vectors) {
    assert.equal(jobID(v.queue, v.key), v.job_id, v.key);
    if (v.fields.every((f) => typeof f !== "number" || Number.isSafeInteger(f))) {
      assert.equal(keyText(v.fields), v.key);
    }
  }
});
