import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hostsOf } from '#networks/connector/manifest.ts'
import { manifestOf } from '#networks/manifests.ts'
import type { Difference } from './compare.ts'
import type { Plan } from './plan.ts'
import type { Exchange, Recording } from './recording.ts'
import { parametersOf } from './replay.ts'

/** Content of the report of a live check; already scrubbed. */
export interface LiveReport {
  recording: Recording
  left: Plan['left']
  /** Estimated before the run, one line per budget. */
  costs: string[]
  /** Differences from the sandbox's responses, or why they are not available. */
  differences: Difference[] | string
}

/** Writes `report.md`, `report.json` and `recording.json`; returns their paths. */
export async function writeReport(folder: string, report: LiveReport): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const { recording, ...rest } = report
  const { exchanges, ...run } = recording
  const hosts = hostsIn(recording)
  const files = {
    'report.md': markdown(report),
    'report.json': pretty({ ...run, ...rest, calls: exchanges.map(callFacts(hosts)) }),
    'recording.json': pretty(recording),
  }
  const paths: string[] = []
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await writeFile(path, content, { mode: 0o600 })
    paths.push(path)
  }
  return paths
}

type Hosts = { readonly [role: string]: string }
const hostsIn = ({ network, options }: Recording): Hosts => hostsOf(manifestOf(network), options)

const pretty = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

const callFacts = (hosts: Hosts) => (exchange: Exchange) => ({
  step: exchange.step,
  method: exchange.method,
  host: new URL(hosts[exchange.role] ?? 'https://elsewhere.invalid').host,
  path: exchange.path,
  parameters: [...parametersOf(exchange).keys()],
  status: statusOf(exchange),
  ms: exchange.ms,
})

const statusOf = ({ answer }: Exchange) => ('failure' in answer ? answer.failure : answer.status)

function markdown({ recording, left, costs, differences }: LiveReport): string {
  const { network, startedAt, apiVersion, profile, results, exchanges, mark } = recording
  const failed = results.filter(({ outcome }) => outcome === 'failed').length
  const notDeleted = results.filter(({ name, outcome }) => name.startsWith('delete ') && outcome !== 'done')
  return `${[
    `# Live check of ${manifestOf(network).name}`,
    `${startedAt}, API version ${apiVersion}, a profile of the kind ${profile.kind}, mark \`${mark}\`. ${
      failed === 0 ? 'Nothing failed.' : `${failed} of ${results.length} steps failed.`
    }`,
    'Tokens, keys, ids, names and texts of others were replaced; the same value has the same placeholder everywhere.',
    ...(notDeleted.length > 0
      ? ['## Delete by hand', list(notDeleted.map(({ name, detail }) => `${name}: ${detail}`)), markNote(mark)]
      : []),
    '## Steps',
    table(
      ['Step', 'Outcome', 'ms', ''],
      results.map(({ name, outcome, ms, detail, fault }) => [
        name,
        fault ? `${outcome} (${fault})` : outcome,
        ms,
        detail,
      ]),
    ),
    ...(left.length > 0
      ? [
          '## Left out',
          table(
            ['Check', 'Why'],
            left.map(({ check, why }) => [check, why]),
          ),
        ]
      : []),
    ...(costs.length > 0 ? ['## Budgets', list(costs)] : []),
    '## Differences from the emulator',
    differencesText(differences),
    '## Calls',
    table(
      ['Step', 'Call', 'Parameters', 'Status', 'ms'],
      exchanges
        .map(callFacts(hostsIn(recording)))
        .map(({ step, method, host, path, parameters, status, ms }) => [
          step,
          `${method} ${host}${path}`,
          parameters.join(', '),
          status,
          ms,
        ]),
    ),
  ].join('\n\n')}\n`
}

const markNote = (mark: string) =>
  `Ids in this report are placeholders; the terminal showed the addresses, and the posts contain \`${mark}\`.`

function differencesText(differences: Difference[] | string): string {
  if (typeof differences === 'string') return differences
  if (differences.length === 0) return 'None: the emulator answered with the same calls, statuses and fields.'
  return table(
    ['Step', 'Call', 'What', ''],
    differences.map(({ step, call, what, detail }) => [step, call, what, detail]),
  )
}

const list = (lines: readonly string[]) => lines.map((line) => `- ${oneLine(line)}`).join('\n')

const table = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [headings, headings.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => oneLine(String(cell)).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
