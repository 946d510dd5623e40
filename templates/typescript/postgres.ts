/**
 * A Client, PoolClient or Pool of pg. A job that is enqueued within a
 * transaction of the client is there once that has committed.
 */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
}

async function enqueue(
  client: PostgresClient,
  name: string,
  payload: unknown,
  key: string | undefined,
): Promise<Receipt> {
  const { rows } = await client.query(`select * from ${name}($1, $2)`, [
    json(payload),
    key ?? null,
  ]);
  return receiptOf(rows[0]);
}
