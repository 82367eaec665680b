import { z } from 'zod'
import { type IdKind, isId, type ReferenceKind } from '../ids.ts'
import type { Field } from './fields.ts'
import {
  elements,
  flagSchema,
  listSchema,
  param,
  readCount,
  readLine,
  readLines,
  refersTo,
  refuse,
  scalar,
} from './parameter.ts'

interface Length {
  min?: number
  max?: number
}

/** A line of user input: trimmed, and not empty unless `min` is 0. */
export const line = ({ min = 1, max = 255 }: Length = {}) =>
  param({ type: 'string', minLength: min, maxLength: max }, (raw) => readLine(raw, min, max))

/** An id in any format; unknown ids are refused by the lookup. */
export const idOf = (kind: ReferenceKind, { min = 1 }: { min?: 0 | 1 } = {}) => idOfAny([kind], { min })

/** The same for objects of several kinds. */
export const idOfAny = (kinds: ReferenceKind[], { min = 1 }: { min?: 0 | 1 } = {}) =>
  param({ type: 'string', minLength: min, maxLength: 255, ...refersTo(...kinds) }, (raw) => readLine(raw, min, 255))

/** User-written text, possibly of several lines; trimmed. */
export const text = ({ min = 0, max }: { min?: number; max: number }) =>
  param({ type: 'string', minLength: min, maxLength: max }, (raw) => {
    const value = scalar(raw).replaceAll('\r\n', '\n').trim()
    if (value.length < min) refuse('must not be empty')
    if (value.length > max) refuse(`must be at most ${max} characters long`)
    return value
  })

/** Text in progress, unchanged: surrounding spaces and line breaks count. */
export const verbatim = ({ max }: { max: number }) =>
  param({ type: 'string', maxLength: max }, (raw) => {
    const value = scalar(raw)
    return value.length > max ? refuse(`must be at most ${max} characters long`) : value
  })

/** Text taken unchanged, including spaces. */
export const secret = ({ min = 8, max = 256 }: Length = {}) =>
  param({ type: 'string', format: 'password', minLength: min, maxLength: max }, (raw) => {
    const value = scalar(raw)
    if (value.length < min || value.length > max) refuse(`must be ${min} to ${max} characters long`)
    return value
  })

const address = z.email().max(254)

export const email = param({ type: 'string', format: 'email', maxLength: 254 }, (raw) => {
  const text = scalar(raw).trim()
  const { success, data } = address.safeParse(text.slice(0, 255))
  return success ? data : refuse('must be a valid email address')
})

export const timezone = param({ type: 'string', description: 'An IANA name, e.g. Europe/Berlin.' }, (raw) => {
  const name = scalar(raw).trim()
  return isTimezone(name) ? name : refuse('must be an IANA time zone name such as Europe/Berlin')
})

export const choice = <const Value extends string>(values: readonly Value[]) =>
  param({ type: 'string', enum: values }, (raw): Value => {
    const value = scalar(raw)
    return values.find((known) => known === value) ?? refuse(`must be one of ${values.join(', ')}`)
  })

/** An integer within bounds. */
export const count = (least: number, most: number) =>
  param({ type: 'integer', minimum: least, maximum: most }, (raw) => readCount(raw, least, most))

/** The same, or null if it is empty. */
export const countOrNone = (least: number, most: number) =>
  param<number | null>({ type: ['integer', 'null'], minimum: least, maximum: most }, (raw) =>
    scalar(raw ?? '').trim() === '' ? null : readCount(raw, least, most),
  )

/** One of a list of names, case-insensitive or by an alias; returns the list's own spelling. */
export const word = <const Value extends string>(
  values: readonly Value[],
  aliases: { [alias: string]: Value } = {},
) => {
  const known = spellings(values, aliases)
  return param({ type: 'string', enum: [...values, ...Object.keys(aliases)] }, (raw): Value => {
    return known.get(scalar(raw).trim().toLowerCase()) ?? refuse(`must be one of ${values.join(', ')}`)
  })
}

/** Several of a list of names, in any of the encodings of an array, case-sensitive; none means all. */
export const choices = <const Value extends string>(values: readonly Value[]) =>
  listOf(values, (text) => values.find((known) => known === text), [])

/** The same, case-insensitive or by an alias. */
export const words = <const Value extends string>(
  values: readonly Value[],
  aliases: { [alias: string]: Value } = {},
) => {
  const known = spellings(values, aliases)
  return listOf(values, (text) => known.get(text.toLowerCase()), Object.keys(aliases))
}

const spellings = <Value extends string>(values: readonly Value[], aliases: { [alias: string]: Value }) =>
  new Map<string, Value>([
    ...values.map((value) => [value.toLowerCase(), value] as const),
    ...Object.entries(aliases).map(([alias, value]) => [alias.toLowerCase(), value] as const),
  ])

const listOf = <Value extends string>(
  values: readonly Value[],
  read: (text: string) => Value | undefined,
  aliases: readonly string[],
) =>
  param<Value[], readonly Value[] | string>(
    { description: `Any of ${values.join(', ')}.`, ...listSchema({ type: 'string', enum: [...values, ...aliases] }) },
    (raw) => {
      const given = readLines(raw, maximumIds).map(
        (text) => read(text) ?? refuse(`must hold only ${values.join(', ')}; ${quoted(text)} is none of them`),
      )
      return [...new Set(given)]
    },
  )

const flagWords = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

/** A boolean in any of its spellings: 1, 0, true, false. */
export const flag = param<boolean, boolean | 0 | 1>(flagSchema, (raw) => {
  return flagWords.get(scalar(raw)) ?? refuse('must be 1, 0, true or false')
})

const maximumIds = 1000

/** Comma-separated text is for hand-written URLs. */
type List = readonly string[] | string

/** Ids in any of the encodings of an array; each must have the format of such an id. */
export const idList = (kind: IdKind) =>
  param<string[], List>(
    { description: `Ids (${kind.prefix}…).`, ...listSchema({ type: 'string' }), ...refersTo(kind) },
    (raw) => {
      const ids = [...new Set(elements(raw).map((element) => scalar(element).trim()))].filter((id) => id !== '')
      const wrong = ids.find((id) => !isId(kind, id))
      if (wrong !== undefined) refuse(`must hold ids that start with ${kind.prefix}; ${quoted(wrong)} is not one`)
      if (ids.length > maximumIds) refuse(`must not hold more than ${maximumIds} ids`)
      return ids
    },
  )

/** Unique, trimmed texts in any of the encodings of an array. */
export const lineList = ({ max }: { max: number }) =>
  param<string[], List>(listSchema({ type: 'string' }, { max }), (raw) => readLines(raw, max))

/** Ids without a specific format, in any of the encodings of an array. */
export const idsOf = (kind: ReferenceKind, { max }: { max: number }) =>
  param<string[], List>({ ...listSchema({ type: 'string' }, { max }), ...refersTo(kind) }, (raw) => readLines(raw, max))

/** An id in the path. In any format it identifies an object or none, so it is never refused here. */
export const pathId = (...kinds: [ReferenceKind, ...ReferenceKind[]]) =>
  param({ type: 'string', description: `${kinds.map(nameOf).join(', or ')}.`, ...refersTo(...kinds) }, scalar)

function nameOf({ name, prefix, description }: ReferenceKind): string {
  if (description) return description
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `The id of ${/^(?!user)[aeiou]/.test(words) ? 'an' : 'a'} ${words}${prefix ? ` (${prefix}…)` : ''}`
}

/** A name in the path that means the same to every account. */
export const pathName = param({ type: 'string' }, scalar)

const quoted = (value: string) => `"${value.slice(0, 40)}"`

const longestUrl = 2048

/** A web URL: http or https, with a host. */
export const url = param({ type: 'string', format: 'uri', maxLength: longestUrl }, (raw) =>
  webAddress(scalar(raw).trim()),
)

/** The same where an empty value removes the URL. */
export const urlOrNone = param({ type: 'string', maxLength: longestUrl }, (raw) => {
  const text = scalar(raw).trim()
  return text === '' ? text : webAddress(text)
})

function webAddress(text: string): string {
  if (text.length > longestUrl) refuse(`must be at most ${longestUrl} characters long`)
  // The URL parser would silently drop spaces, and use the first path segment as a missing host.
  if (!/^https?:\/\/[^\s/?#\\]/i.test(text) || /[\s\p{Cc}]/u.test(text) || !hasHost(text))
    refuse('must be an address that starts with http:// or https:// and names a host, such as https://example.com/page')
  return text
}

/** Not URL.canParse, which in Node 20 rejects accented letters once it is optimized. */
function hasHost(text: string): boolean {
  try {
    return new URL(text).hostname !== ''
  } catch {
    return false
  }
}

/** The last timestamp with a four-digit year, in seconds. */
const last = 253_402_300_799
const momentSpellings = 'YYYY-MM-DD, YYYY-MM-DD HH:MM:SS (a T for the blank, Z or an offset behind it) or Unix seconds'
const momentSchema = {
  type: ['string', 'integer'],
  description:
    'YYYY-MM-DD, YYYY-MM-DD HH:MM:SS (or with T instead of the space, optionally with Z or an offset) or Unix seconds; UTC without an offset.',
}

type Moment = string | number

/** A timestamp in any of the spellings that clients send. A date alone means its first moment. */
export const moment = param<Date, Moment>(momentSchema, (raw) => new Date(read(scalar(raw).trim())))

/** The same where an empty value means undefined. */
export const momentOrNone = param<Date | undefined, Moment>(momentSchema, (raw) => {
  const text = scalar(raw).trim()
  return text === '' ? undefined : new Date(read(text))
})

/** The same where an empty value clears the stored one. */
export const momentOrNull = param<Date | null, Moment>(momentSchema, (raw) => {
  const text = scalar(raw ?? '').trim()
  return text === '' ? null : new Date(read(text))
})

/** A UTC day as its first moment; a timestamp means its day. */
export const day = param<Date, Moment>(momentSchema, (raw) => {
  const date = new Date(read(scalar(raw).trim()))
  return new Date(date.setUTCHours(0, 0, 0, 0))
})

/** Milliseconds since 1970. */
function read(text: string): number {
  if (/^\d{1,15}$/.test(text)) return fromSeconds(Number(text))
  const [, year = '', rest = '', hours = '00', minutes = '00', seconds = '00', zone] = written.exec(text) ?? []
  const iso = `${year}-${rest}T${hours}:${minutes}:${seconds}`
  const time = Date.parse(`${iso}Z`)
  if (year === '') return refuse(`must be a moment, as ${momentSpellings}`)
  // 31 February would silently become a day in March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== iso)
    return refuse(`must be a moment that exists; "${text.slice(0, 40)}" does not`)
  const moment = time - offsetOf(zone)
  return moment <= last * 1000 ? moment : refuse('must not lie after the year 9999')
}

/** Each part has a fixed number of digits, which prevents backtracking. An unencoded plus arrives as a space. */
const written = /^(\d{4})-(\d{2}-\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+ -]\d{2}:?\d{2})?)?$/i

/** A value that is too large is usually in milliseconds. */
function fromSeconds(seconds: number): number {
  if (seconds <= last) return seconds * 1000
  return refuse(`must be in seconds, at most ${last}, which is the end of the year 9999; ${seconds} is more`)
}

/** In milliseconds. */
function offsetOf(zone = 'Z'): number {
  if (zone.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  if (hours > 14 || minutes > 59) return refuse('must have an offset between -14:59 and +14:59')
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const known = new Map<string, boolean>()

/** Whether the name is in the IANA time zone database; offsets such as +01:00 are not. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name) || name.length > 64) return false
  const answer = known.get(name) ?? canFormat(name)
  if (known.size < 1000) known.set(name, answer)
  return answer
}

function canFormat(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

const clockSchema = { type: 'string', pattern: '^\\d{2}:\\d{2}$', description: 'HH:MM, from 00:00 to 23:59.' }

/** Minutes after midnight as a clock time: `09:30`. */
export const clockTime: Field<number, string> = {
  schema: clockSchema,
  code: (expression) => `new Date(${expression} * 60000).toISOString().slice(11, 16)`,
  example: '09:30',
}

/** The same in a request. */
export const clockParam = param<number, string>(clockSchema, (raw) => {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(scalar(raw).trim()) ?? []
  if (hours === undefined) return refuse('must be a time such as 09:30')
  return Number(hours) * 60 + Number(minutes)
})
