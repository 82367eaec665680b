import pg from 'pg'

interface Kept {
  connecting: Promise<pg.Client>
  /** One query at a time. */
  last: Promise<unknown>
}

/** One connection per database. */
const connections = new Map<string, Kept>()

/** Queries as the schema owner, like `ownerQuery` of the kernel, but reuses one connection per database. */
export async function ownerQuery<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const own = connections.get(url) ?? keep(url)
  const answer = own.last.then(async () => (await own.connecting).query<Row>(text, values))
  own.last = answer.catch(() => {})
  return (await answer).rows
}

/** Must be called before a database is dropped. */
export async function stopAsking(url: string) {
  const own = connections.get(url)
  connections.delete(url)
  await own?.last
  await own?.connecting.then(
    (client) => client.end(),
    () => {},
  )
}

function keep(url: string): Kept {
  const client = new pg.Client({ connectionString: url, application_name: 'chorus-operator' })
  const own: Kept = { connecting: client.connect().then(() => client), last: Promise.resolve() }
  connections.set(url, own)
  const forget = () => {
    if (connections.get(url) === own) connections.delete(url)
  }
  // A closed connection is replaced on the next query.
  client.on('error', forget)
  client.on('end', forget)
  own.connecting.catch(forget)
  return own
}
