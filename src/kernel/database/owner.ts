import pg from 'pg'

/** Runs a query as the owner of the schema, across all accounts: for operator commands, never for a request. */
export async function ownerQuery<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'chorus-operator' })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}
