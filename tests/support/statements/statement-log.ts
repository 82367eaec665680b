import { readFileSync } from 'node:fs'
import { BroadcastChannel } from 'node:worker_threads'
import { loadModule, parseSync } from 'libpg-query'
import { allowed } from './allowed.ts'
import { findingsIn } from './rules.ts'

/** A statement that was sent, by its text. */
export interface Entry {
  readonly text: string
  /** The file that sent it first; nothing where a test asked by itself. */
  readonly source: string | undefined
  /** What is wrong with it; nothing until it was judged. */
  breaches?: readonly string[]
}

/** All statements this process has sent, whichever file of tests it was for. */
const entries = new Map<string, Entry>()
/** What was found in statements, which may differ in the number of their rows. */
const verdicts = new Map<string, readonly string[]>()
/** The threads of a run tell each other of them, so that a statement is parsed once and not by each. */
const others = new BroadcastChannel('judged statements')
others.onmessage = (message) => {
  const { data } = message as { data: [shape: string, findings: readonly string[]][] }
  for (const [shape, findings] of data) verdicts.set(shape, findings)
}
others.unref()

/** Called in the call that sends a statement. The stack is taken once for each text. */
export function entryOf(text: string): Entry {
  let entry = entries.get(text)
  if (!entry) {
    entry = { text, source: sender() }
    entries.set(text, entry)
  }
  return entry
}

/** What is wrong with statements, each with its source; what was judged before is not judged again. */
export async function breachesOf(sent: readonly Entry[]): Promise<string[]> {
  await loadModule()
  const known = verdicts.size
  for (const entry of sent) entry.breaches ??= entry.source === undefined ? [] : judged(entry.text, entry.source)
  const fresh = [...verdicts].slice(known)
  if (fresh.length > 0) others.postMessage(fresh)
  return sent.flatMap(({ breaches = [] }) => breaches)
}

/** A statement that says its purpose may break the rules, as long as the purpose is known and the statement does break them. */
export function judged(text: string, source: string): string[] {
  const findings = findingsOf(text)
  const purpose = /\/\* across accounts: ([^*]+) \*\//.exec(text)?.[1]
  const told = (sentence: string) => `${source}: ${sentence}\n  ${text.replace(/\s+/g, ' ').trim()}`
  if (purpose === undefined) return findings.map(told)
  if (!Object.hasOwn(allowed, purpose)) return [told(`"${purpose}" is not among the purposes that are allowed.`)]
  return findings.length > 0 ? [] : [told('It keeps the rules: leave acrossAccounts out.')]
}

export function findingsOf(text: string): readonly string[] {
  const shape = withoutRepetition(text)
  let findings = verdicts.get(shape)
  if (!findings) {
    findings = findingsIn(parseSync(shape), places)
    verdicts.set(shape, findings)
  }
  return findings
}

/** `values ($1, $2), ($3, $4), ($5, $6), …` is the same for any number of rows from three on. */
function withoutRepetition(text: string): string {
  const [first = '', ...others] = text.replace(/\$\d+/g, '$$1').split('), (')
  return [first, ...others.filter((row, place) => row !== others[place + 1])].join('), (')
}

const depth = 60
const here = `${process.cwd()}/`

/** The nearest file of ours that is no part of what sends statements for everybody. */
function sender(): string | undefined {
  const files = callers().flatMap((site) => /^(?:src|tests)\/.+/.exec(site.getFileName()?.split(here)[1] ?? '') ?? [])
  // Before that are those who listen.
  const outer = files.slice(files.indexOf('src/kernel/database/statement/statement.ts') + 1)
  const nearest = outer.find((file) => !file.startsWith('src/kernel/database/')) ?? outer[0] ?? 'somewhere'
  return /^tests\/|\.(?:test|fixture)\.ts$/.test(nearest) ? undefined : nearest
}

/** Who called whom, as it is: finding the lines of the sources for all of them would take a fiftieth of the time of a run. */
function callers(): readonly NodeJS.CallSite[] {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = depth
  Error.prepareStackTrace = (_, sites) => sites
  const sites = new Error().stack as unknown as readonly NodeJS.CallSite[]
  Error.stackTraceLimit = stackTraceLimit
  Error.prepareStackTrace = prepareStackTrace
  return sites
}

/** Where the rows of a table lie on a cluster: with their account, on every node, or with the look-ups of the coordinator. */
export type Place = { readonly key: string } | 'everywhere' | 'elsewhere'

/** As the schema says it: by `account_id`, or by `account` where the primary key begins with it; accounts by their id. */
export function readPlaces(schema: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  for (const block of schema.split('\n\n')) {
    const [heading = '', ...lines] = block.split('\n')
    if (!heading.startsWith('table ')) continue
    const name = heading.slice('table '.length)
    const has = (beginning: string) => lines.some((line) => line.startsWith(`  ${beginning}`))
    if (name === 'accounts') places.set(name, { key: 'id' })
    else if (has('account_id ')) places.set(name, { key: 'account_id' })
    else if (has('PRIMARY KEY (account,')) places.set(name, { key: 'account' })
    else places.set(name, copied.has(name) ? 'everywhere' : 'elsewhere')
  }
  return places
}

/** Small, hardly ever written, and joined with tables of accounts. */
const copied = new Set(['short_hosts'])

export const places = readPlaces(readFileSync('schema.sql', 'utf8'))
