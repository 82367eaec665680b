import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { ownerQuery } from '#kernel/database/owner.ts'
import { end, median, start, startScript } from './children.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const connections = Number(process.env.BENCH_CONNECTIONS ?? 64)
const manyLinks = Number(process.env.BENCH_LINKS ?? 1_000_000)
const coldPerConnection = 1_000
const goals = { rate: 0.5, latency: 3 }

interface Runner {
  name: string
  /** The service has links; the others answer everything alike. */
  url: string
}

interface Figures {
  rate: number
  p99: number
}

/**
 * Short links beside a bare node:http redirect, and beside nginx where there is one, in turn in one run. Ours is one process with
 * the role `links`: every click is committed before its answer leaves. Counting runs in a worker, which is not part of this.
 */
export async function redirectContest(databaseUrl: string, folder: string) {
  await fill(databaseUrl)
  const ours = await startLinks(databaseUrl, folder)
  const { found: port } = await startScript('bench/redirect-floor.ts', [], /listening (\d+)/)
  const nginx = await startNginx(folder)
  const floor: Runner = { name: 'node:http', url: `http://127.0.0.1:${port}/l` }
  const runners = [{ name: 'chorus', url: `${ours.url}/l` }, floor, ...(nginx ? [nginx] : [])]
  try {
    await contest('one hot link', runners, () => [hashOf(1)])
    await contest(`${manyLinks.toLocaleString('en')} cold links`, runners, () =>
      Array.from({ length: coldPerConnection }, () => hashOf(randomInt(manyLinks) + 1)),
    )
    await report(databaseUrl, ours.url)
  } finally {
    await end(ours.child)
    nginx?.child.kill('SIGTERM')
  }
}

async function contest(name: string, runners: readonly Runner[], hashes: () => string[]) {
  const results = runners.map(() => [] as Figures[])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { url }] of runners.entries()) {
      const figures = await load(url, hashes)
      // The first round warms all of them up.
      if (round > 0) results[index]?.push(figures)
    }
  }
  const floor = results[1] as Figures[]
  for (const [index, runner] of runners.entries()) {
    const own = results[index] as Figures[]
    const rates = own.map(({ rate }, round) => rate / (floor[round]?.rate ?? 1))
    const latencies = own.map(({ p99 }, round) => p99 / (floor[round]?.p99 ?? 1))
    console.log(
      `redirects, ${name}: ${runner.name.padEnd(10)} ${median(own.map(({ rate }) => rate)).toFixed(0)}/s  ` +
        `p99 ${median(own.map(({ p99 }) => p99)).toFixed(1)} ms  ` +
        (index === 1
          ? '(the floor)'
          : `rate ${median(rates).toFixed(2)} × the floor (${rates.map((rate) => rate.toFixed(2)).join(' ')}), ` +
            `p99 ${median(latencies).toFixed(2)} × its p99`) +
        (index === 0 ? `  goal ≥ ${goals.rate} and ≤ ${goals.latency}` : ''),
    )
  }
}

/** People with browsers of several kinds; every second one has been here before and brings its cookie. */
async function load(url: string, hashes: () => string[]): Promise<Figures> {
  const { pathname } = new URL(url)
  let client = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient(one) {
      const number = client++
      one.setRequests(
        hashes().map((hash) => ({
          path: `${pathname}/${hash}`,
          headers: number % 2 === 0 ? headersOf(number) : { ...headersOf(number), cookie: cookieOf(number) },
        })),
      )
    },
  })
  if (result['3xx'] === 0 || result['4xx'] + result['5xx'] + result.errors > 0)
    throw new Error(`${url}: ${result['4xx'] + result['5xx']} refused, ${result.errors} failed`)
  return { rate: result['3xx'] / result.duration, p99: result.latency.p99 }
}

const headersOf = (number: number) => ({
  'user-agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (number % 30)}.0.0.0 Safari/537.36`,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
})

const cookieOf = (number: number) => `chorus_visitor=bench-visitor-${String(number).padStart(8, '0')}`

const hashOf = (number: number) => `B${String(number).padStart(7, '0')}`

/** The built service as in production: its log in a file, one process, nothing but short links. */
async function startLinks(databaseUrl: string, folder: string) {
  const { found: url, child } = await start(
    [
      ...(process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : []),
      'bin/chorus.mjs',
      'start',
    ],
    /Base URL +(http:\/\/\S+)\/v2/,
    {
      environment: {
        CHORUS_PORT: '0',
        CHORUS_ROLES: 'links',
        CHORUS_DATA_DIR: folder,
        CHORUS_DATABASE_URL: databaseUrl,
      },
      log: join(folder, 'links.log'),
    },
  )
  return { url, child }
}

async function fill(url: string) {
  await ownerQuery(
    url,
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url, params)
     select '001demo00000001', '008b' || lpad(n::text, 11, '0'), now(), now(), 'B' || lpad(n::text, 7, '0'),
            (select id from campaigns where account_id = '001demo00000001' limit 1), '', '', 'LinkedIn',
            'https://example.com/landing/' || n, 'https://example.com/landing/' || n, '{"utm_source":"linkedin","utm_medium":"social"}'
     from generate_series(1, ${manyLinks}) n`,
  )
  await ownerQuery(
    url,
    `insert into link_hashes (hash, account, link) select hash, account_id, id from links where account_id = '001demo00000001' and hash like 'B%' on conflict do nothing`,
  )
  await ownerQuery(url, 'vacuum analyze links, link_hashes')
  // What filling them left to write must not fall into the measurement.
  await ownerQuery(url, 'checkpoint')
}

/** Every answer was a click that is in the database. */
async function report(databaseUrl: string, service: string) {
  const [written] = await ownerQuery<{ count: number }>(databaseUrl, 'select count(*)::int as count from click_intake')
  const metrics = await (await fetch(`${service}/metrics`)).text()
  const answered = /duration_seconds_count\{method="GET",route="short\/\{hash\}",status="302"\} (\d+)/.exec(
    metrics,
  )?.[1]
  const uncounted = /^clicks_uncounted_total (\d+)/m.exec(metrics)?.[1]
  console.log(`redirects: ${answered} answered, ${written?.count} clicks in the database, ${uncounted} not counted`)
}

async function startNginx(folder: string): Promise<(Runner & { child: ChildProcess }) | undefined> {
  if (spawnSync('nginx', ['-v']).error) {
    console.log('redirects: nginx is not installed here, so there is no figure for it')
    return undefined
  }
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; daemon off;
     events { worker_connections 1024; }
     http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
            uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; keepalive_requests 100000000;
            server { listen 127.0.0.1:${port}; location / { return 302 https://example.com/landing; } } }`,
  )
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: 'inherit' })
  await sleep(500)
  return { name: 'nginx', url: `http://127.0.0.1:${port}/l`, child }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
