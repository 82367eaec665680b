import { readFileSync } from 'node:fs'
import pg from 'pg'
import { demoAccount } from './demo-files.ts'

/** CPU time of this thread in milliseconds; wall-clock time on other systems than Linux. */
export function processorTime(): number {
  if (process.platform !== 'linux') return performance.now()
  const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

interface Statement {
  text: string
  values: unknown[]
}

/** Statements sent by the service during some work. */
async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const seen: Statement[] = []
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    seen.push(...((args[0] as { statements?: Statement[] }).statements ?? []))
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return seen
}

/** Number of table and index pages read by the statements; independent of the load of the machine. */
export async function pagesRead(databaseUrl: string, work: () => Promise<unknown>): Promise<number> {
  const statements = (await statementsOf(work)).filter(({ text }) => text.trimStart().startsWith('select'))
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c role=chorus_app' })
  await client.connect()
  await client.query(`select set_config('chorus.account_id', $1, false)`, [demoAccount])
  let pages = 0
  for (const { text, values } of statements) {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values)
    const { Plan } = rows[0]['QUERY PLAN'][0]
    pages += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
  }
  await client.end()
  return pages
}
