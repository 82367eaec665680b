import { isIP } from 'node:net'
import type { FeedLimits } from '#areas/live/feeds.ts'
import type { LimitRules } from '#kernel/limits/limits.ts'
import { type LogLevel, logLevels } from '#kernel/log.ts'
import { withoutTrailing } from '#kernel/text-parts.ts'

/** One setting: description, default as shown in the README, and parser. */
export interface Setting<Value> {
  readonly help: string
  readonly standard: string
  readonly read: (text: string) => Value
}

export const setting = <Value>(standard: string, help: string, read: (text: string) => Value): Setting<Value> => ({
  help,
  standard,
  read,
})

// Parsers of settings. Each throws the violated rule, to be appended to the setting's name.

const allRoles = ['api', 'worker', 'links'] as const
type ProcessRole = (typeof allRoles)[number]

export const text = (value: string) => value
export const optional =
  <Value>(read: (text: string) => Value) =>
  (value: string) =>
    value === '' ? undefined : read(value)
export const onOff = (value: string) => {
  if (['1', 'true', 'on'].includes(value)) return true
  if (['0', 'false', 'off', ''].includes(value)) return false
  throw new Error('must be 1 or 0')
}
export const integer = (min: number, max: number) => (value: string) => {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < min || number > max)
    throw new Error(`must be a whole number from ${min} to ${max}`)
  return number
}
export const url =
  (...schemes: string[]) =>
  (value: string) => {
    const scheme = schemeOf(value)
    if (!schemes.includes(scheme))
      throw new Error(`must be a URL that starts with ${schemes.map((name) => `${name}://`).join(' or ')}`)
    return withoutTrailing(value, '/')
  }

export function readRoles(value: string): readonly ProcessRole[] {
  if (value === 'all') return allRoles
  const names = value.split(',').map((name) => name.trim())
  const invalid = names.find((name) => !(allRoles as readonly string[]).includes(name))
  if (invalid !== undefined)
    throw new Error(`names the role "${invalid}"; it must be all, or any of ${allRoles.join(', ')}`)
  return names as ProcessRole[]
}

export function readLimits(value: string): LimitRules | undefined {
  const rules = { second: 60, five: 120, day: 50_000, block: 900 }
  if (value === 'off') return undefined
  for (const entry of value === 'on' ? [] : value.split(',')) {
    const [name = '', number = ''] = entry.trim().split('=')
    if (!(name in rules)) throw new Error('must be on, off, or numbers such as second=60,five=120,day=50000,block=900')
    rules[name as keyof typeof rules] = integer(1, 1_000_000_000)(number)
  }
  const windows = [
    { name: 'second', calls: rules.second, seconds: 1 },
    { name: 'five', calls: rules.five, seconds: 5 },
  ]
  return { windows, day: rules.day, blockSeconds: rules.block }
}

export function readFeedLimits(value: string): FeedLimits {
  const limits = { session: 8, account: 1_000 }
  for (const entry of value.split(',').filter((one) => one.trim() !== '')) {
    const [name = '', number = ''] = entry.trim().split('=')
    if (!Object.hasOwn(limits, name)) throw new Error('must be numbers such as session=8,account=1000')
    limits[name as keyof typeof limits] = integer(1, 1_000_000)(number)
  }
  return limits
}

export function readDemoKey(value: string): string {
  if (!/^[\x21-\x7e]{8,200}$/.test(value) || value.includes(':'))
    throw new Error('must be 8 to 200 printable characters without blanks and colons')
  return value
}

export function readToken(value: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(value)) throw new Error('must be 1 to 200 printable characters without blanks')
  return value
}

export function readAddresses(value: string): string[] {
  const ranges = value
    .split(',')
    .map((range) => range.trim())
    .filter(Boolean)
  const invalid = ranges.find((range) => !isRange(range))
  if (invalid !== undefined) throw new Error(`holds "${invalid}", which is neither an IP address nor a CIDR range`)
  return ranges
}

/** In Node's format: `192.0.2.1`, `192.0.2.1:53`, `[2001:db8::1]:53`. */
export function readNameServer(value: string): string {
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(value) ?? []
  if (isIP(six ?? '') !== 6 && isIP(four ?? '') !== 4)
    throw new Error('must be an IP address with an optional port, such as 192.0.2.1:53')
  if (port !== undefined) integer(1, 65_535)(port)
  return value
}

function isRange(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/')
  const family = isIP(address)
  return (
    family > 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  )
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds from durations such as 5s, 10m, 2h. */
export const readWaits = (value: string): number[] => value.split(',').map(readWait)

export function readWait(text: string): number {
  const [, number, unit] = /^(\d{1,6})(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  if (!number || !unit) throw new Error(`holds "${text}"; it must be waits such as 5s, 5m or 2h`)
  return Number(number) * units[unit as keyof typeof units]
}

export function readLogLevel(value: string): LogLevel {
  const level = logLevels.find((known) => known === value)
  if (!level) throw new Error(`must be one of ${logLevels.join(', ')}`)
  return level
}

/** Validates the text and keeps it unchanged. */
export function checked(read: (text: string) => unknown) {
  return (value: string) => {
    read(value)
    return value
  }
}

/** Not URL.canParse, which in Node 20 rejects accented letters once it is optimized. */
function schemeOf(value: string): string {
  try {
    return new URL(value).protocol.slice(0, -1)
  } catch {
    return ''
  }
}

/** The candidate that takes the fewest edits to reach. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return candidates.toSorted((one, other) => distance(word, one) - distance(word, other))[0]
}

function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...to].entries()) {
      const substituted = (row[column] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(substituted, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
