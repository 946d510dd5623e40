/**
 * A Connection, PoolConnection or Pool of mysql2/promise. A job that is
 * enqueued within a transaction of the connection is there once that has
 * committed.
 */
export interface MySQLClient {
  execute(text: string, values: (string | null)[]): Promise<[unknown, unknown]>;
}

async function enqueue(
  client: MySQLClient,
  name: string,
  payload: unknown,
  key: string | undefined,
): Promise<Receipt> {
  const [sets] = await client.execute(`call ${name}(?, ?)`, [
    json(payload),
    key ?? null,
  ]);
  return receiptOf((sets as Row[][])[0]?.[0]);
}
