import { readFileSync } from 'node:fs'
import { BroadcastChannel } from 'node:worker_threads'
import { loadModule, parseSync } from 'libpg-query'
import { allowed } from './allowed.ts'
import { findingsIn } from './rules.ts'

/** A statement that was sent, by its text. */
export interface Entry {
  readonly text: string
  /** The file that sent it first; undefined if a test sent it itself. */
  readonly source: string | undefined
  /** Its violations; undefined until it was checked. */
  violations?: readonly string[]
}

/** All statements this process has sent, for any test file. */
const entries = new Map<string, Entry>()
/** Results by statement text, normalized for the number of rows. */
const verdicts = new Map<string, readonly string[]>()
/** Worker threads share results, so that each statement is parsed only once per run. */
const others = new BroadcastChannel('judged statements')
others.onmessage = (message) => {
  const { data } = message as { data: [shape: string, findings: readonly string[]][] }
  for (const [shape, findings] of data) verdicts.set(shape, findings)
}
others.unref()

/** Must be called synchronously by the code that sends the statement. The stack is captured once per text. */
export function entryOf(text: string): Entry {
  let entry = entries.get(text)
  if (!entry) {
    entry = { text, source: sender() }
    entries.set(text, entry)
  }
  return entry
}

/** Violations of statements, each with its source; results are cached. */
export async function violationsOf(sent: readonly Entry[]): Promise<string[]> {
  await loadModule()
  const known = verdicts.size
  for (const entry of sent)
    entry.violations ??= entry.source === undefined ? [] : violationsIn(entry.text, entry.source)
  const fresh = [...verdicts].slice(known)
  if (fresh.length > 0) others.postMessage(fresh)
  return sent.flatMap(({ violations = [] }) => violations)
}

/** A statement with a purpose may violate the rules, if the purpose is known and the statement does violate them. */
export function violationsIn(text: string, source: string): string[] {
  const findings = findingsOf(text)
  const purpose = /\/\* across accounts: ([^*]+) \*\//.exec(text)?.[1]
  const described = (sentence: string) => `${source}: ${sentence}\n  ${text.replace(/\s+/g, ' ').trim()}`
  if (purpose === undefined) return findings.map(described)
  if (!Object.hasOwn(allowed, purpose)) return [described(`"${purpose}" is not an allowed purpose; see allowed.ts.`)]
  return findings.length > 0 ? [] : [described('It violates no rule: remove acrossAccounts.')]
}

export function findingsOf(text: string): readonly string[] {
  const shape = withoutRepeatedRows(text)
  let findings = verdicts.get(shape)
  if (!findings) {
    findings = findingsIn(parseSync(shape), places)
    verdicts.set(shape, findings)
  }
  return findings
}

/** `values ($1, $2), ($3, $4), ($5, $6), …` is the same for any number of rows from three on. */
function withoutRepeatedRows(text: string): string {
  const [first = '', ...others] = text.replace(/\$\d+/g, '$$1').split('), (')
  return [first, ...others.filter((row, place) => row !== others[place + 1])].join('), (')
}

const depth = 60
const here = `${process.cwd()}/`

/** The nearest source file that is not part of the shared database layer. */
function sender(): string | undefined {
  const files = callers().flatMap((site) => /^(?:src|tests)\/.+/.exec(site.getFileName()?.split(here)[1] ?? '') ?? [])
  // Earlier frames are observers.
  const outer = files.slice(files.indexOf('src/kernel/database/statement/statement.ts') + 1)
  const nearest = outer.find((file) => !file.startsWith('src/kernel/database/')) ?? outer[0] ?? 'somewhere'
  return /^tests\/|\.(?:test|fixture)\.ts$/.test(nearest) ? undefined : nearest
}

/** The raw call sites: mapping all of them to source lines would take two percent of a run. */
function callers(): readonly NodeJS.CallSite[] {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = depth
  Error.prepareStackTrace = (_, sites) => sites
  const sites = new Error().stack as unknown as readonly NodeJS.CallSite[]
  Error.stackTraceLimit = stackTraceLimit
  Error.prepareStackTrace = prepareStackTrace
  return sites
}

/** Where a cluster stores the rows of a table: with their account, on every node, or on the coordinator. */
export type Place = { readonly key: string } | 'everywhere' | 'elsewhere'

/** Derived from the schema: by `account_id`, or by `account` if the primary key starts with it; accounts by their id. */
export function readPlaces(schema: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  for (const block of schema.split('\n\n')) {
    const [heading = '', ...lines] = block.split('\n')
    const [, name] = /^create table (\w+) \($/.exec(heading) ?? []
    if (!name) continue
    const has = (beginning: string) => lines.some((line) => line.startsWith(`  ${beginning}`))
    if (name === 'accounts') places.set(name, { key: 'id' })
    else if (has('account_id ')) places.set(name, { key: 'account_id' })
    else if (has('primary key (account,')) places.set(name, { key: 'account' })
    else places.set(name, copied.has(name) ? 'everywhere' : 'elsewhere')
  }
  return places
}

/** Small, rarely written, and joined with tables of accounts. */
const copied = new Set(['short_hosts'])

export const places = readPlaces(readFileSync('schema.sql', 'utf8'))
