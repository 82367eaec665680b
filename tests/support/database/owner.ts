import pg from 'pg'

interface Kept {
  connecting: Promise<pg.Client>
  /** One question at a time. */
  last: Promise<unknown>
}

/** One connection for each database that is asked, for as long as it holds. */
const kept = new Map<string, Kept>()

/** Asks as the owner of the schema, like the operator's `ownerQuery`, but connects once: that is most of the work of a short question. */
export async function ownerQuery<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const own = kept.get(url) ?? keep(url)
  const answer = own.last.then(async () => (await own.connecting).query<Row>(text, values))
  own.last = answer.catch(() => {})
  return (await answer).rows
}

/** To be called before a database goes. */
export async function stopAsking(url: string) {
  const own = kept.get(url)
  kept.delete(url)
  await own?.last
  await own?.connecting.then(
    (client) => client.end(),
    () => {},
  )
}

function keep(url: string): Kept {
  const client = new pg.Client({ connectionString: url, application_name: 'chorus-operator' })
  const own: Kept = { connecting: client.connect().then(() => client), last: Promise.resolve() }
  kept.set(url, own)
  const forget = () => {
    if (kept.get(url) === own) kept.delete(url)
  }
  // Where a server ends the connection, or ends, it is asked over a new one next time.
  client.on('error', forget)
  client.on('end', forget)
  own.connecting.catch(forget)
  return own
}
