import pg from 'pg'

/** Lends a connection of its own; whatever it was doing when the work fails is broken off and rolled back. */
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
  // The statement that was running reports a lost connection; this only keeps the process alive.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new Error(`The database ${place(client)} cannot be reached: ${(error as Error).message}`, { cause: error })
  }
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Begins a transaction whose text is the same on every server and which no timeout of the server cuts off. */
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

function place({ host, port, database }: pg.Client): string {
  return `${database} on ${host}:${port}`
}
