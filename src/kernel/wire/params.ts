import { z } from 'zod'
import { type IdKind, idPrefixes, isId } from '../ids.ts'
import { elements, param, readCount, readLine, readLines, refuse, scalar } from './parameter.ts'
import { type ReferenceKind, refersTo } from './reference.ts'
import { flagSchema, listSchema } from './request-schema.ts'
import { isTimezone } from './timezone.ts'

interface Length {
  min?: number
  max?: number
}

/** One line a person typed: outer blanks do not count, and it is not empty unless `min` is 0. */
export const line = ({ min = 1, max = 255 }: Length = {}) =>
  param({ type: 'string', minLength: min, maxLength: max }, (raw) => readLine(raw, min, max))

/** An id that names something, in whatever form: one that names nothing is refused by whoever looks for it. */
export const idOf = (kind: ReferenceKind, { min = 1 }: { min?: 0 | 1 } = {}) => idOfAny([kind], { min })

/** The same where things of several kinds can be named. */
export const idOfAny = (kinds: ReferenceKind[], { min = 1 }: { min?: 0 | 1 } = {}) =>
  param({ type: 'string', minLength: min, maxLength: 255, ...refersTo(...kinds) }, (raw) => readLine(raw, min, 255))

/** What a person wrote, over several lines perhaps; outer blanks do not count. */
export const text = ({ min = 0, max }: { min?: number; max: number }) =>
  param({ type: 'string', minLength: min, maxLength: max }, (raw) => {
    const value = scalar(raw).replaceAll('\r\n', '\n').trim()
    if (value.length < min) refuse('must not be empty')
    if (value.length > max) refuse(`must be at most ${max} characters long`)
    return value
  })

/** What somebody is writing: every sign of it counts, outer blanks and ends of lines included. */
export const verbatim = ({ max }: { max: number }) =>
  param({ type: 'string', maxLength: max }, (raw) => {
    const value = scalar(raw)
    return value.length > max ? refuse(`must be at most ${max} characters long`) : value
  })

/** Text taken as it is, blanks included. */
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

/** A whole number within bounds. */
export const count = (least: number, most: number) =>
  param({ type: 'integer', minimum: least, maximum: most }, (raw) => readCount(raw, least, most))

/** The same, or nothing when it is empty. */
export const countOrNone = (least: number, most: number) =>
  param<number | null>({ type: ['integer', 'null'], minimum: least, maximum: most }, (raw) =>
    scalar(raw ?? '').trim() === '' ? null : readCount(raw, least, most),
  )

/** A name out of a list, in whatever case, or by another name it goes by; what comes out is the list's own spelling. */
export const word = <const Value extends string>(
  values: readonly Value[],
  aliases: { [alias: string]: Value } = {},
) => {
  const known = spellings(values, aliases)
  return param({ type: 'string', enum: [...values, ...Object.keys(aliases)] }, (raw): Value => {
    return known.get(scalar(raw).trim().toLowerCase()) ?? refuse(`must be one of ${values.join(', ')}`)
  })
}

/** Several out of a list, in any of the encodings of an array, each spelled as there; none is the same as all. */
export const choices = <const Value extends string>(values: readonly Value[]) =>
  listOf(values, (text) => values.find((known) => known === text), [])

/** The same in whatever case, or by other names they go by. */
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

/** Commas are for whoever writes addresses by hand. */
type List = readonly string[] | string

/** Ids in any of the encodings of an array; each must have the form of such an id. */
export const idList = (kind: IdKind) =>
  param<string[], List>(
    { description: `Ids (${idPrefixes[kind]}…).`, ...listSchema({ type: 'string' }), ...refersTo(kind) },
    (raw) => {
      const ids = [...new Set(elements(raw).map((element) => scalar(element).trim()))].filter((id) => id !== '')
      const wrong = ids.find((id) => !isId(kind, id))
      if (wrong !== undefined) refuse(`must hold ids that start with ${idPrefixes[kind]}; ${quoted(wrong)} is not one`)
      if (ids.length > maximumIds) refuse(`must not hold more than ${maximumIds} ids`)
      return ids
    },
  )

/** Texts in any of the encodings of an array, each once, without outer blanks. */
export const lineList = ({ max }: { max: number }) =>
  param<string[], List>(listSchema({ type: 'string' }, { max }), (raw) => readLines(raw, max))

/** Ids of things whose ids have no form of their own, in any of the encodings of an array. */
export const idsOf = (kind: ReferenceKind, { max }: { max: number }) =>
  param<string[], List>({ ...listSchema({ type: 'string' }, { max }), ...refersTo(kind) }, (raw) => readLines(raw, max))

/** An id in the path. Whatever its form, it names something or nothing, so it is never refused here. */
export const pathId = (...kinds: [ReferenceKind, ...ReferenceKind[]]) =>
  param({ type: 'string', description: `${kinds.map(nameOf).join(', or ')}.`, ...refersTo(...kinds) }, scalar)

/** What people call the id of each kind. */
function nameOf(kind: ReferenceKind): string {
  if (kind === 'linkHash') return 'The hash of a short link, which is the last part of its address'
  if (kind === 'credential') return 'The id of a social profile (003-…)'
  const words = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const prefix = Object.hasOwn(idPrefixes, kind) ? ` (${idPrefixes[kind as IdKind]}…)` : ''
  return `The id of ${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}${prefix}`
}

/** A name in the path that means the same to every account. */
export const pathName = param({ type: 'string' }, scalar)

const quoted = (value: string) => `"${value.slice(0, 40)}"`
