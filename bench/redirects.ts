import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { end, median, start, startScript } from './processes.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 40)
const seconds = Number(process.env.BENCH_SECONDS ?? 0.6)
const connections = Number(process.env.BENCH_CONNECTIONS ?? 256)
const manyLinks = Number(process.env.BENCH_LINKS ?? 1_000_000)
const warmUp = 12
const coldPerConnection = 1_000
const goals = { rate: 0.85, latency: 1.3 }

interface Runner {
  name: string
  /** Port of the service, or of a server with a fixed redirect. */
  port: number
}

/**
 * Short links relative to a node:http redirect, and to nginx if installed, measured alternately. The service is one process with
 * the role `links`: every click is committed before its response is sent. Counting in a worker is not included.
 */
export async function redirectBenchmark(databaseUrl: string, folder: string) {
  await fill(databaseUrl)
  const ours = await startLinks(databaseUrl, folder)
  const { found: port } = await startScript('bench/redirect-baseline.ts', [], /listening (\d+)/)
  const nginx = await startNginx(folder)
  const baseline: Runner = { name: 'node:http', port: Number(port) }
  const runners = [{ name: 'chorus', port: Number(new URL(ours.url).port) }, baseline, ...(nginx ? [nginx] : [])]
  try {
    await untilReady(ours.url)
    await benchmark('one hot link', runners, () => [hashOf(1)])
    await benchmark(`${manyLinks.toLocaleString('en')} cold links`, runners, () =>
      Array.from({ length: coldPerConnection }, () => hashOf(randomInt(manyLinks) + 1)),
    )
    await report(databaseUrl, ours.url)
  } finally {
    await end(ours.child)
    nginx?.child.kill('SIGTERM')
  }
}

/** A process loads all links at startup. */
async function untilReady(service: string) {
  const started = performance.now()
  while ((await metric(service, /^links_in_memory (\d+)/m)) < manyLinks) await sleep(200)
  const memory = await metric(service, /^process_resident_memory_bytes (\d+)/m)
  console.log(
    `redirects: all links in memory ${((performance.now() - started) / 1000).toFixed(1)} s after the start, ` +
      `${(memory / 1_048_576).toFixed(0)} MiB in all`,
  )
}

const metric = async (service: string, pattern: RegExp) =>
  Number(pattern.exec(await (await fetch(`${service}/metrics`)).text())?.[1])

/** Short alternating rounds, so that other load on the machine affects all of them equally. */
async function benchmark(name: string, runners: readonly Runner[], hashes: () => string[]) {
  const results = runners.map(() => [] as Figures[])
  for (let round = -warmUp; round < rounds; round++) {
    const order = [...runners.entries()]
    // The order is rotated.
    if (round % 2 === 0) order.reverse()
    for (const [index, { port }] of order) {
      const figures = await load(port, hashes)
      if (round >= 0) results[index]?.push(figures)
    }
  }
  const baseline = results[1] as Figures[]
  for (const [index, runner] of runners.entries()) {
    const runnerFigures = results[index] as Figures[]
    const rates = runnerFigures.map(({ rate }, round) => rate / (baseline[round]?.rate ?? 1))
    const latencies = runnerFigures.map(({ p99 }, round) => p99 / (baseline[round]?.p99 ?? 1))
    console.log(
      `redirects, ${name}: ${runner.name.padEnd(10)} ${median(runnerFigures.map(({ rate }) => rate)).toFixed(0)}/s  ` +
        `p99 ${median(runnerFigures.map(({ p99 }) => p99)).toFixed(1)} ms  ` +
        (index === 1
          ? '(the baseline)'
          : `rate ${median(rates).toFixed(2)} × the baseline (half of the rounds ${quartiles(rates)}), ` +
            `p99 ${median(latencies).toFixed(2)} × its p99`) +
        (index === 0 ? `  goal ≥ ${goals.rate} and ≤ ${goals.latency}` : ''),
    )
  }
}

/** Interquartile range. */
function quartiles(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other)
  return [0.25, 0.75].map((part) => sorted[Math.floor(sorted.length * part)]?.toFixed(2)).join(' to ')
}

/** Visitors with several browsers; every second one returns with a cookie. */
const load = (port: number, hashes: () => string[]): Promise<Figures> =>
  redirectLoad({
    port,
    connections,
    seconds,
    hashes,
    request(connection) {
      const headers = Object.entries(headersOf(port, connection)).map(([name, value]) => `${name}: ${value}\r\n`)
      return `GET /l/######## HTTP/1.1\r\n${headers.join('')}\r\n`
    },
  })

const headersOf = (port: number, number: number) => ({
  host: `127.0.0.1:${port}`,
  connection: 'keep-alive',
  'user-agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (number % 30)}.0.0.0 Safari/537.36`,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  ...(number % 2 === 1 && { cookie: `chorus_visitor=bench-visitor-${String(number).padStart(8, '0')}` }),
})

const hashOf = (number: number) => `B${String(number).padStart(7, '0')}`

/** The built service as in production: logging to a file, one process, short links only. */
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
    `insert into link_hashes (hash, account, link, long_url, params) select hash, account_id, id, long_url, params from links where account_id = '001demo00000001' and hash like 'B%' on conflict do nothing`,
  )
  await ownerQuery(url, 'vacuum analyze links, link_hashes')
  // Pending writes of the setup must not affect the measurement.
  await ownerQuery(url, 'checkpoint')
}

/** Every response is a stored click. */
async function report(databaseUrl: string, service: string) {
  const [storedClicks] = await ownerQuery<{ count: number }>(
    databaseUrl,
    'select sum(size)::int as count from click_batches',
  )
  const answered = await metric(
    service,
    /duration_seconds_count\{method="GET",route="short\/\{hash\}",status="302"\} (\d+)/,
  )
  const uncounted = await metric(service, /^clicks_uncounted_total (\d+)/m)
  console.log(
    `redirects: ${answered} answered, ${storedClicks?.count} clicks in the database, ${uncounted} not counted`,
  )
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
  return { name: 'nginx', port, child }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface Load {
  port: number
  connections: number
  seconds: number
  /** The request of a connection, with `########` as placeholder for the hash. */
  request(connection: number): string
  /** The hashes to request in rotation. */
  hashes(): readonly string[]
}

export interface Figures {
  rate: number
  /** In milliseconds. */
  p99: number
}

const hashPlaceholder = '########'
const redirect = Buffer.from('HTTP/1.1 302')
const headEnd = Buffer.from('\r\n\r\n')

/**
 * Sends requests over keep-alive connections, one at a time on each, and accepts only redirects. Minimal work, because it
 * shares the cores with what is measured.
 */
async function redirectLoad({ port, connections, seconds, request, hashes }: Load): Promise<Figures> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  const runConnection = (number: number) =>
    new Promise<void>((resolve, reject) => {
      // One buffer per connection avoids allocations.
      const requestBytes = Buffer.from(request(number), 'latin1')
      const hashOffset = requestBytes.indexOf(hashPlaceholder)
      const hashBytes = Buffer.from(hashes().join(''), 'latin1')
      let next = 0
      let sentAt = 0
      let before: Buffer | undefined
      const socket = connect(port, '127.0.0.1').setNoDelay()
      const send = () => {
        sentAt = performance.now()
        if (sentAt >= end) {
          socket.destroy()
          return resolve()
        }
        hashBytes.copy(requestBytes, hashOffset, next, next + hashPlaceholder.length)
        next = (next + hashPlaceholder.length) % hashBytes.length
        socket.write(requestBytes)
      }
      socket.on('connect', send)
      socket.on('data', (data: Buffer) => {
        const response = before ? Buffer.concat([before, data]) : data
        before = undefined
        if (!isComplete(response)) before = response
        else if (response.compare(redirect, 0, redirect.length, 0, redirect.length) !== 0) {
          socket.destroy()
          reject(new Error(`not a redirect: ${response.toString('latin1', 0, 200)}`))
        } else {
          latencies.push(performance.now() - sentAt)
          send()
        }
      })
      socket.on('error', reject)
      socket.on('end', () => reject(new Error('the server hung up')))
    })
  await Promise.all(Array.from({ length: connections }, (_, number) => runConnection(number)))
  const took = (performance.now() - start) / 1000
  const sorted = Float64Array.from(latencies).sort()
  return { rate: sorted.length / took, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** Redirects have no body, except those of nginx. */
function isComplete(response: Buffer): boolean {
  if (response.length < redirect.length) return false
  if (response.compare(headEnd, 0, 4, response.length - 4) === 0) return true
  const end = response.indexOf(headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(response.toString('latin1', 0, end))?.[1]
  return end >= 0 && response.length - end - 4 === Number(length)
}
