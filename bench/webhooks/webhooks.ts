import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { caller } from '../../tests/support/caller.ts'
import { openEmitter } from '../../tests/support/emitter.ts'
import { end, freePort, median, start, startScript } from '../processes.ts'
import { elementOf } from './post.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const deliveries = Number(process.env.BENCH_DELIVERIES ?? 60_000)
const webhooks = 40
const account = '001demo00000001'

interface BenchmarkEnvironment {
  databaseUrl: string
  folder: string
  service: string
  key: string
}

/** Deliveries per second relative to two queues that send the same POST; all jobs are stored before the start. */
export async function webhookBenchmark(place: BenchmarkEnvironment) {
  const { found: port } = await startScript('bench/webhooks/receiver.ts', [], /listening (\d+)/)
  const receiver = `http://127.0.0.1:${port}/hook`
  await subscribe(place, receiver)
  installCompetitors()
  const redis = await startRedis(place.folder)
  const competitors: [name: string, run: () => Promise<number>][] = [
    ['chorus', () => runChorus(place, receiver)],
    ['pg-boss', () => runQueue('bench/webhooks/competitors/pg-boss.mjs', place.databaseUrl, receiver)],
    ...(redis
      ? [
          ['BullMQ', () => runQueue('bench/webhooks/competitors/bullmq.mjs', redis.port, receiver)] as [
            string,
            () => Promise<number>,
          ],
        ]
      : []),
  ]
  const rates = new Map<string, number[]>(competitors.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of competitors) rates.get(name)?.push(await run())
  }
  redis?.child.kill('SIGTERM')
  const best = Math.max(...competitors.slice(1).map(([name]) => median(rates.get(name) ?? [])))
  const figures = competitors.map(([name]) => `${name} ${median(rates.get(name) ?? []).toFixed(0)}/s`)
  const chorusRates = (rates.get('chorus') ?? []).map((rate) => rate.toFixed(0)).join(' ')
  const ratio = (median(rates.get('chorus') ?? []) / best).toFixed(2)
  console.log(`${'webhook deliveries'.padEnd(24)} ratio ${ratio}  (${chorusRates})  ${figures.join('  ')}`)
}

async function subscribe({ service, key }: BenchmarkEnvironment, url: string) {
  const admin = caller(service, account, key)
  for (let number = 0; number < webhooks; number++) {
    const { status, text } = await admin('POST /webhook', { body: { event: 'postSent', name: `Bench ${number}`, url } })
    if (status !== 200) throw new Error(text)
  }
}

/** Records events while no worker runs, then starts one. */
async function runChorus({ databaseUrl, folder }: BenchmarkEnvironment, receiver: string): Promise<number> {
  const emitter = openEmitter(databaseUrl, account)
  const events = Array.from({ length: deliveries / webhooks }, (_, number) => elementOf(number))
  await emitter.emit('postSent', events, true)
  await emitter.close()
  await ownerQuery(databaseUrl, 'vacuum analyze')
  const environment = {
    CHORUS_PORT: '0',
    CHORUS_ROLES: 'worker',
    CHORUS_DATA_DIR: folder,
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
  }
  const { child } = await start(['bin/chorus.mjs', 'start'], /Base URL/, { environment })
  const rate = await finished(receiver)
  await end(child)
  return rate
}

async function runQueue(script: string, store: string, receiver: string): Promise<number> {
  const { child } = await startScript(script, [store, receiver, String(deliveries)], /ready/)
  child.stdin?.write('go\n')
  const rate = await finished(receiver)
  await end(child)
  return rate
}

/** Waits for all requests; the duration is from the first to the last request. */
async function finished(receiver: string): Promise<number> {
  let count = 0
  for (let elapsed = 0; elapsed < 120_000; elapsed += 250) {
    await sleep(250)
    const response = (await (await fetch(receiver)).json()) as { count: number; seconds: number }
    count = response.count
    if (count < deliveries) continue
    await fetch(receiver, { method: 'DELETE' })
    return deliveries / response.seconds
  }
  throw new Error(`Only ${count} of ${deliveries} came.`)
}

/** Used only by this benchmark, so they are not dependencies of the project. */
function installCompetitors() {
  const folder = 'bench/webhooks/competitors'
  if (existsSync(`${folder}/node_modules`)) return
  console.log('Installing pg-boss and BullMQ for the benchmark…')
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder })
  if (status !== 0) throw new Error(`npm install in ${folder} failed.`)
}

async function startRedis(folder: string): Promise<{ child: ChildProcess; port: string } | undefined> {
  if (spawnSync('redis-server', ['--version']).error) return undefined
  const port = String(await freePort())
  const child = spawn('redis-server', ['--port', port, '--dir', folder, '--appendonly', 'yes', '--save', ''])
  await sleep(500)
  return { child, port }
}
