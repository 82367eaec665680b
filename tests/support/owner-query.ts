import pg from 'pg'

const pools = new Map<string, pg.Pool>()

/** Like the operator's, but the connection is kept while it is used: tests ask so often that making one costs more than the questions. */
export async function ownerQuery<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const pool = pools.get(url) ?? open(url)
  return (await pool.query<Row>(text, values)).rows
}

function open(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2, idleTimeoutMillis: 1_000, allowExitOnIdle: true })
  // The database may be dropped while nobody asks.
  pool.on('error', () => {})
  pools.set(url, pool)
  return pool
}
