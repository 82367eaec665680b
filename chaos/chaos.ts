import { parseArgs } from 'node:util'
import { randomness } from '../tests/support/randomness.ts'
import { databaseKills } from './database/kills.ts'
import { openNodes } from './database/victims.ts'
import { feedRuns } from './feed/kills.ts'
import type { AttackName } from './neighbours/attacker.ts'
import { neighbourRuns } from './neighbours/runs.ts'
import { publishingRuns, requireDamage } from './publishing/runs.ts'
import { redirectKills, startControlRedirector } from './redirect-kills.ts'
import { reportKills, startControlCounter } from './report-kills.ts'
import { controlDownloads, uploadKills } from './upload-kills.ts'
import { uploadMemory } from './upload-memory.ts'
import { webhookHostility } from './webhook-hostility.ts'
import { webhookIsolation } from './webhook-isolation.ts'
import { startControlWorker, webhookKills } from './webhook-kills.ts'

const log = (line: string) => console.log(`  ${line}`)
const seed = Number(process.env.CHAOS_SEED ?? 20261115)
const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, help: { type: 'boolean' } },
})
const only = values.only?.split(',') as AttackName[] | undefined

/** On a cluster, its nodes are killed as well. */
const nodes = () => openNodes({ random: randomness(seed), log })

const runs: Record<string, () => Promise<unknown>> = {
  'webhook-kills': async () => webhookKills({ events: 20_000, kills: 20, seed, log, nodes: await nodes() }),
  'webhook-kills-control': () => webhookKills({ events: 4_000, kills: 4, seed, log, startWorker: startControlWorker }),
  'webhook-isolation': () => webhookIsolation({ receivers: 500, rate: 1, warmUpSeconds: 45, seconds: 60, log }),
  'webhook-hostility': webhookHostility,
  'upload-kills': () => uploadKills({ files: 300, kills: 30, seed, log }),
  'upload-kills-control': () => controlDownloads({ files: 60, seed }),
  'upload-memory': () => uploadMemory({ bytes: 4 * 2 ** 30 - 2 ** 20, log }),
  'redirect-kills': async () => redirectKills({ kills: 20, seed, counting: true, log, nodes: await nodes() }),
  'redirect-kills-control': () => redirectKills({ kills: 5, seed, log, startRedirector: startControlRedirector }),
  'report-kills': () => reportKills({ kills: 50, seed, log }),
  async 'report-kills-control'() {
    const report = await reportKills({ kills: 5, seed, log, startCounter: startControlCounter })
    return { ...report, broken: requireDamage(report.differences) }
  },
  'pg-kills': async () => databaseKills({ kills: 20, freezes: 5, seed, processes: 2, log, nodes: await nodes() }),
  'pg-kills-control': () => databaseKills({ kills: 4, freezes: 0, seed, forgetful: true, log }),
  ...feedRuns(seed, log),
  ...publishingRuns(seed, log),
  ...neighbourRuns({ seed, log, only }),
}

/** `npm run chaos`: all runs, or the named ones. Prints the reports recorded in docs/reliability.md. */
if (values.help) {
  console.log(`npm run chaos [-- run…] [--only attack,…]\n\nRuns: ${Object.keys(runs).join(', ')}`)
  process.exit()
}
const unknown = names.find((name) => !(name in runs))
if (unknown) throw new Error(`There is no run "${unknown}"; there are ${Object.keys(runs).join(', ')}.`)
for (const [name, run] of Object.entries(runs)) {
  if (names.length > 0 && !names.includes(name)) continue
  console.log(`${name} (seed ${seed})`)
  const report = await run()
  console.log(report)
  if ((report as { broken?: string[] }).broken?.length) process.exitCode = 1
}
