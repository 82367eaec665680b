import pg from 'pg'

/** Provides a dedicated connection; if the work fails, its running statement is canceled and rolled back. */
export async function withConnection<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'chorus-transfer',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // The running statement reports a lost connection; this listener only keeps the process alive.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new Error(`The database ${describeTarget(client)} cannot be reached: ${(error as Error).message}`, {
      cause: error,
    })
  }
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Begins a transaction with the same text formats on every server and without server timeouts. */
export async function begin(client: pg.Client, mode: string) {
  await client.query(`begin ${mode};
    set local client_encoding = 'UTF8';
    set local datestyle = 'ISO, YMD';
    set local intervalstyle = 'postgres';
    set local timezone = 'UTC';
    set local bytea_output = 'hex';
    set local extra_float_digits = 3;
    set local lock_timeout = '60s'`)
  // By name, because PostgreSQL 15 does not know all of them.
  await client.query(`select set_config(name, '0', true) from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`)
}

function describeTarget({ host, port, database }: pg.Client): string {
  return `${database} on ${host}:${port}`
}
