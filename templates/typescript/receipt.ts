/** What an enqueue answers. */
export interface Receipt {
  /** The same as every other producer gets for the same key. */
  jobId: string;
  /** A job with this key was there before, and nothing was written. */
  duplicate: boolean;
  /** The job's: scheduled, running, done or dead. */
  state: string;
  /** The job that is there has this very payload, byte by byte. */
  samePayload: boolean;
}

interface Row {
  job_id: string;
  duplicate: boolean | number;
  state: string;
  same_payload: boolean | number;
}

function receiptOf(row: Row | undefined): Receipt {
  if (row === undefined) {
    throw new Error("the database has answered nothing to an enqueue");
  }
  return {
    jobId: row.job_id,
    duplicate: Boolean(row.duplicate),
    state: row.state,
    samePayload: Boolean(row.same_payload),
  };
}
