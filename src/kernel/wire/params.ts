import { z } from 'zod'
import type { Page } from '../database/paginate.ts'
import { type IdKind, idPrefixes, isId } from '../ids.ts'
import type { JsonSchema } from './fields.ts'
import { isTimezone } from './timezone.ts'

/** What each kind of parameter looks like in the interface description. */
export const parameterSchemas = z.registry<{ schema: JsonSchema }>()

interface Length {
  min?: number
  max?: number
}

/** One line a person typed: outer blanks do not count, and it is not empty unless `min` is 0. */
export const line = ({ min = 1, max = 255 }: Length = {}) =>
  param({ type: 'string', minLength: min, maxLength: max }, (raw) => {
    const value = scalar(raw).trim()
    if (value.length < min) refuse(min === 1 ? 'must not be empty' : `must be at least ${min} characters long`)
    if (value.length > max) refuse(`must be at most ${max} characters long`)
    return value
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
  const { success, data } = address.safeParse(scalar(raw).trim())
  return success ? data : refuse('must be a valid email address')
})

export const timezone = param({ type: 'string', description: 'An IANA name, e.g. Europe/Berlin.' }, (raw) => {
  const name = scalar(raw).trim()
  return isTimezone(name) ? name : refuse('must be an IANA time zone name such as Europe/Berlin')
})

export const choice = <const Value extends string>(values: readonly Value[]) =>
  param({ enum: values }, (raw): Value => {
    const value = scalar(raw)
    return values.find((known) => known === value) ?? refuse(`must be one of ${values.join(', ')}`)
  })

const flagWords = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

/** A boolean in any of its spellings: 1, 0, true, false. */
export const flag = param({ enum: [0, 1, true, false] }, (raw) => {
  return flagWords.get(scalar(raw)) ?? refuse('must be 1, 0, true or false')
})

const maximumIds = 1000

/** Ids in any of the encodings of an array; each must have the form of such an id. */
export const idList = (kind: IdKind) =>
  param({ type: 'string', description: `Comma-separated ids (${idPrefixes[kind]}…).` }, (raw) => {
    const ids = [...new Set(elements(raw).map((element) => scalar(element).trim()))].filter((id) => id !== '')
    const wrong = ids.find((id) => !isId(kind, id))
    if (wrong !== undefined) refuse(`must hold ids that start with ${idPrefixes[kind]}; ${quoted(wrong)} is not one`)
    if (ids.length > maximumIds) refuse(`must not hold more than ${maximumIds} ids`)
    return ids
  })

/** An id in the path. Whatever its form, it names something or nothing, so it is never refused here. */
export const pathId = param({ type: 'string' }, scalar)

type SortKind = Page['order']['kind']

interface Paging {
  count: PageSize
  order: { fields: { readonly [field: string]: SortKind }; default: string }
}

export interface PageSize {
  standard: number | undefined
  allows: (size: number) => boolean
  description: string
}

export const oneOf = (...sizes: [number, ...number[]]): PageSize => ({
  standard: sizes[0],
  allows: (size) => sizes.includes(size),
  description: `One of ${sizes.join(', ')}.`,
})

/** Everything unless a page is asked for: lists for which the contract names no paging, yet clients page through. */
export const everything: PageSize = {
  standard: undefined,
  allows: (size) => size >= 1 && size <= 100,
  description: '1 to 100; everything when neither _page nor _count is given.',
}

export const sortBy = (fields: Paging['order']['fields'], standard: string) => ({ fields, default: standard })

/** The parameters of a list: its filters beside _page, _count and _order, which become one `page`. */
export function listParams<F extends z.ZodRawShape>(filters: F, { count, order }: Paging) {
  const words = Object.keys(order.fields)
  return z
    .object({
      ...filters,
      _page: param({ type: 'integer', minimum: 0, default: 0 }, (raw) => {
        return wholeNumber(scalar(raw), 1_000_000_000) ?? refuse('must be a whole number from 0 on')
      }).optional(),
      _count: param({ type: 'integer', default: count.standard, description: count.description }, (raw) => {
        const size = wholeNumber(scalar(raw), 1_000_000)
        return size !== undefined && count.allows(size) ? size : refuseWhole(`Page size ${shown(raw)} is not valid.`)
      }).optional(),
      _order: param(
        { type: 'string', default: order.default, description: `${words.join(', ')}; then ,0 or ,1.` },
        (raw) => readOrder(scalar(raw), order.fields),
      ).optional(),
    })
    .transform((values) => {
      const { _page, _count, _order, ...rest } = values as Record<string, unknown>
      const given = { page: _page as number | undefined, size: _count as number | undefined }
      const limit = given.size ?? count.standard ?? (given.page === undefined ? undefined : 100)
      const page: Page = {
        limit,
        offset: (given.page ?? 0) * (limit ?? 0),
        order: (_order as Page['order'] | undefined) ?? readOrder(order.default, order.fields),
      }
      return { ...rest, page } as z.output<z.ZodObject<F>> & { page: Page }
    })
}

function readOrder(value: string, fields: Paging['order']['fields']): Page['order'] {
  const [column = '', direction, ...rest] = value.split(',').map((word) => word.trim())
  const kind = Object.hasOwn(fields, column) ? fields[column] : undefined
  if (!kind || rest.length > 0 || !['0', '1', undefined].includes(direction)) {
    return refuse(`must be one of ${Object.keys(fields).join(', ')}, followed by ,0 (descending) or ,1 (ascending)`)
  }
  return { column, kind, ascending: direction === undefined ? kind === 'text' : direction === '1' }
}

class Problem extends Error {
  readonly whole: boolean
  constructor(message: string, whole: boolean) {
    super(message)
    this.whole = whole
  }
}

/** Refuses the value; the sentence begins with the parameter's name. */
function refuse(rule: string): never {
  throw new Problem(rule, false)
}

function refuseWhole(sentence: string): never {
  throw new Problem(sentence, true)
}

function param<Value>(schema: JsonSchema, read: (raw: unknown) => Value) {
  const parameter = z.unknown().transform((raw, issues) => {
    if (raw !== undefined) {
      try {
        return read(raw)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        issues.addIssue({ code: 'custom', message: error.message, params: { whole: error.whole } })
        return z.NEVER
      }
    }
    issues.addIssue({ code: 'custom', message: 'is missing', params: { missing: true } })
    return z.NEVER
  })
  parameterSchemas.add(parameter, { schema })
  return parameter
}

function scalar(raw: unknown): string {
  if (typeof raw === 'string') return raw
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw)
  return refuse(Array.isArray(raw) ? 'must be given once' : 'must be a single value')
}

function elements(raw: unknown): unknown[] {
  if (Array.isArray(raw)) return raw
  const value = scalar(raw).trim()
  if (!value.startsWith('[')) return value.split(',')
  try {
    const parsed: unknown = JSON.parse(value)
    if (Array.isArray(parsed)) return parsed
  } catch {}
  return refuse('must be a list')
}

function wholeNumber(value: string, maximum: number): number | undefined {
  return /^\d{1,10}$/.test(value) && Number(value) <= maximum ? Number(value) : undefined
}

const quoted = (value: string) => `"${value.slice(0, 40)}"`
const shown = (raw: unknown) => (typeof raw === 'object' ? 'given' : String(raw).slice(0, 40))
