import { randomInt } from 'node:crypto'

/** A kind of object that requests refer to. */
export interface ReferenceKind {
  readonly name: string
  readonly prefix?: string
  /** For the API reference, if the name isn't enough. */
  readonly description?: string
}

/** A kind of object whose ids start with their own prefix. The area that owns it declares it. */
export interface IdKind extends ReferenceKind {
  readonly prefix: string
}

/** Declares kinds of ids, each with its three-character prefix. */
export const idKinds = <const Prefixes extends { readonly [name: string]: string }>(
  prefixes: Prefixes,
): { readonly [name in keyof Prefixes]: IdKind } => {
  const kinds = Object.entries(prefixes).map(([name, prefix]) => [name, { name, prefix }])
  return Object.fromEntries(kinds)
}

export const kernelIds = idKinds({ job: '0jb', worker: '0jw', picture: '0pi' })

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefixLength = 3
const timeLength = 7
const tailLength = 5
const tails = digits.length ** tailLength
/** In the year 2081. */
const lastMoment = digits.length ** timeLength - 1

/**
 * The most recent milliseconds of generated ids, each with its text and last tail: ids generated for an earlier time continue its sequence.
 */
const recent = new Map<number, { text: string; tail: number }>()
const mostRecent = 64
/** Reserved at the end of the range so that the tails of a millisecond can increase. */
const reserve = 1_000_000

/**
 * A new id: the prefix, seven base62 characters of milliseconds, and five that never repeat within a millisecond. Ids of the same
 * millisecond sort in the order they were generated.
 */
export function newId(kind: IdKind, now: Date): string {
  const time = now.getTime()
  const known = recent.get(time)
  if (known) {
    known.tail = (known.tail + 1) % tails
    return kind.prefix + known.text + base62(known.tail, tailLength)
  }
  if (recent.size >= mostRecent) recent.delete(recent.keys().next().value as number)
  const text = base62(time, timeLength)
  const tail = randomInt(tails - reserve)
  recent.set(time, { text, tail })
  return kind.prefix + text + base62(tail, tailLength)
}

/** Whether the text has the format of an id of this kind; it doesn't check that the object exists. */
export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(kind.prefix) && /^[0-9A-Za-z]{15}$/.test(text)
}

/** Lower bound of the ids of this kind generated at or after this time. */
export const idAt = (kind: IdKind, moment: Date) =>
  kind.prefix + base62(Math.min(Math.max(0, moment.getTime()), lastMoment), timeLength) + base62(0, tailLength)

/** Creation time of an id. */
export function timeOf(id: string): Date {
  const time = [...id.slice(prefixLength, prefixLength + timeLength)]
  return new Date(time.reduce((value, digit) => value * digits.length + digits.indexOf(digit), 0))
}

function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / digits.length)) {
    text = digits[rest % digits.length] + text
  }
  return text
}
