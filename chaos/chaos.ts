import { parseArgs } from 'node:util'
import { randomness } from '../tests/support/randomness.ts'
import { databaseKills } from './database/kills.ts'
import { openNodes } from './database/nodes.ts'
import { feedRuns } from './feed/runs.ts'
import { startNaiveWorker } from './naive.ts'
import { naiveDownloads } from './naive-download.ts'
import { neighbourRuns } from './neighbours/runs.ts'
import type { AttackName } from './neighbours/targets.ts'
import { unseen } from './publishing/promises.ts'
import { publishingRuns } from './publishing/runs.ts'
import { redirectKills } from './redirect-kills.ts'
import { startNaiveRedirector } from './redirect-naive.ts'
import { reportKills } from './report-kills.ts'
import { startNaiveCounter } from './report-naive.ts'
import { uploadKills } from './upload-kills.ts'
import { uploadMemory } from './upload-memory.ts'
import { webhookHostility } from './webhook-hostility.ts'
import { webhookIsolation } from './webhook-isolation.ts'
import { webhookKills } from './webhook-kills.ts'

const say = (line: string) => console.log(`  ${line}`)
const seed = Number(process.env.CHAOS_SEED ?? 20261115)
const { positionals: wanted, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } })
const only = values.only?.split(',') as AttackName[] | undefined

/** On a cluster its nodes are killed as well. */
const nodes = () => openNodes({ chance: randomness(seed), say })

const runs: Record<string, () => Promise<unknown>> = {
  'webhook-kills': async () => webhookKills({ events: 20_000, kills: 20, seed, say, nodes: await nodes() }),
  'webhook-kills-control': () => webhookKills({ events: 4_000, kills: 4, seed, say, startWorker: startNaiveWorker }),
  'webhook-isolation': () => webhookIsolation({ receivers: 500, rate: 1, warmUpSeconds: 45, seconds: 60, say }),
  'webhook-hostility': webhookHostility,
  'upload-kills': () => uploadKills({ files: 300, kills: 30, seed, say }),
  'upload-kills-control': () => naiveDownloads({ files: 60, seed }),
  'upload-memory': () => uploadMemory({ bytes: 4 * 2 ** 30 - 2 ** 20, say }),
  'redirect-kills': async () => redirectKills({ kills: 20, seed, counting: true, say, nodes: await nodes() }),
  'redirect-kills-control': () => redirectKills({ kills: 5, seed, say, startRedirector: startNaiveRedirector }),
  'report-kills': () => reportKills({ kills: 50, seed, say }),
  async 'report-kills-control'() {
    const report = await reportKills({ kills: 5, seed, say, startCounter: startNaiveCounter })
    return { ...report, broken: unseen(report.differences) }
  },
  'pg-kills': async () => databaseKills({ kills: 20, freezes: 5, seed, processes: 2, say, nodes: await nodes() }),
  'pg-kills-control': () => databaseKills({ kills: 4, freezes: 0, seed, forgetful: true, say }),
  ...feedRuns(seed, say),
  ...publishingRuns(seed, say),
  ...neighbourRuns({ seed, say, only }),
}

/** `npm run chaos`: every run, or only those named. Prints what docs/reliability.md records. */
const unknown = wanted.find((name) => !(name in runs))
if (unknown) throw new Error(`There is no run "${unknown}"; there are ${Object.keys(runs).join(', ')}.`)
for (const [name, run] of Object.entries(runs)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`${name} (seed ${seed})`)
  const report = await run()
  console.log(report)
  if ((report as { broken?: string[] }).broken?.length) process.exitCode = 1
}
