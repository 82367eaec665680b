import { type ChildProcess, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const connections = 16
const key = 'bench-key-0000'
const authorization = `Basic ${Buffer.from(`001demo00000001:${key}`).toString('base64')}`

interface Contest {
  name: string
  ours: autocannon.Options
  floor: autocannon.Options
}

/** Prints, for four typical calls, how much of the bare floor's speed the whole service keeps. Both run in turn in one run. */
async function main() {
  const folder = await temporaryFolder()
  const database = await startEmbeddedServer({ folder: join(folder.path, 'postgres') })
  const children: ChildProcess[] = []
  try {
    const service = await startOurs(database.url, folder.path, children)
    await fill(database.url)
    const floor = await start(
      process.execPath,
      ['--import', 'tsx', 'bench/floor.ts', database.url],
      /listening (\d+)/,
      {},
      children,
    )
    for (const contest of contests(service, floor)) await measure(contest)
  } finally {
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
    await database.stop()
    await folder.remove()
  }
}

function contests(service: string, floor: string): Contest[] {
  const headers = { authorization }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  return [
    { name: 'GET /me', ours: { url: `${service}/v2/me`, headers }, floor: { url: `${floor}/me` } },
    {
      name: 'GET /team/{id}',
      ours: { url: `${service}/v2/team/025demo00000001`, headers },
      floor: { url: `${floor}/get` },
    },
    { name: 'GET /user, 25 of 1,000', ours: { url: `${service}/v2/user`, headers }, floor: { url: `${floor}/list` } },
    {
      name: 'POST /team',
      ours: { url: `${service}/v2/team`, method: 'POST', headers: form, body: 'name=Bench' },
      floor: { url: `${floor}/create`, method: 'POST', headers: form, body: 'name=Bench' },
    },
  ]
}

async function measure({ name, ours, floor }: Contest) {
  const results: { ours: number; floor: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const result = { floor: await rate(floor), ours: await rate(ours) }
    // The first round warms both up.
    if (round > 0) results.push(result)
  }
  const ratios = results.map((result) => result.ours / result.floor).sort((one, other) => one - other)
  const median = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
  const figures = [median(results.map((result) => result.ours)), median(results.map((result) => result.floor))]
  console.log(
    `${name.padEnd(24)} ratio ${median(ratios).toFixed(2)}  (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})  ` +
      `chorus ${figures[0]?.toFixed(0)}/s  floor ${figures[1]?.toFixed(0)}/s`,
  )
}

async function rate(options: autocannon.Options): Promise<number> {
  const result = await autocannon({ ...options, connections, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${options.url}: ${result.non2xx} refused, ${result.errors} failed`)
  return result['2xx'] / result.duration
}

/** The built service with everything on, its log going to a file as in production; limits counted, but out of reach. */
function startOurs(databaseUrl: string, folder: string, children: ChildProcess[]): Promise<string> {
  const environment = {
    CHORUS_PORT: '0',
    CHORUS_DEMO: '1',
    CHORUS_DEMO_API_KEY: key,
    CHORUS_DATA_DIR: folder,
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_RATE_LIMIT: 'second=1000000,five=5000000,day=1000000000',
  }
  return start(
    process.execPath,
    ['bin/chorus.mjs', 'start'],
    /Base URL +(http:\/\/\S+)\/v2/,
    environment,
    children,
    join(folder, 'service.log'),
  )
}

/** Starts a program and gives the address it prints. */
function start(
  program: string,
  args: string[],
  address: RegExp,
  environment: Record<string, string>,
  children: ChildProcess[],
  log?: string,
): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const file = log ? openSync(log, 'w') : undefined
  let seen = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      if (file === undefined || seen.length < 10_000) seen += data
      const found = address.exec(seen)?.[1]
      if (found) resolve(found.startsWith('http') ? found : `http://127.0.0.1:${found}`)
    })
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${seen}`)))
  })
}

async function fill(url: string) {
  await ownerQuery(
    url,
    `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
     select '001demo00000001', '00Abench' || lpad(n::text, 7, '0'), now() - n * interval '1 minute', now(), 'Bench', n::text, 'bench' || n || '@example.com', 'read'
     from generate_series(1, 996) n`,
  )
  await ownerQuery(url, 'vacuum analyze')
}

await main()
