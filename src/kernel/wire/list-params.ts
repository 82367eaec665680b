import { z } from 'zod'
import type { Page } from '../database/paginate.ts'
import { type IdKind, isId } from '../ids.ts'
import type { JsonSchema } from './fields.ts'
import { type Parameter, param, refersTo, refuse, refuseWhole, scalar } from './parameter.ts'

type SortKind = Page['order']['kind']

/** The parameters of a page request. */
type Paged = {
  _page: z.ZodOptional<Parameter<number, number>>
  _count: z.ZodOptional<Parameter<number, number>>
  _order: z.ZodOptional<Parameter<Page['order'], string>>
}

type SortFields = { readonly [field: string]: SortKind }

interface Paging<Limit extends number | undefined> {
  count: PageSize<Limit>
  order: { fields: SortFields; default: string }
  /** The contract names them page and count here; both spellings are accepted. */
  plainNames?: true
}

export interface PageSize<Limit extends number | undefined = number> {
  /** Default page size; if undefined, all rows are returned unless a page is requested. */
  standard: Limit
  allows: (size: number) => boolean
  /** Schema of the allowed sizes. */
  schema: JsonSchema
  /** Error message for other sizes. */
  advice: string
}

export const oneOf = (...sizes: [number, number, ...number[]]): PageSize => ({
  standard: sizes[0],
  allows: (size) => sizes.includes(size),
  schema: { enum: sizes },
  advice: `Use ${sizes.slice(0, -1).join(', ')} or ${sizes.at(-1)}.`,
})

/** Any size up to a maximum. */
export const upTo = (maximum: number, standard: number): PageSize => ({
  standard,
  allows: (size) => size >= 1 && size <= maximum,
  schema: { minimum: 1, maximum },
  advice: `Use 1 to ${maximum}.`,
})

/** All rows unless a page is requested: for lists without paging in the contract that clients page through nevertheless. */
export const everything: PageSize<number | undefined> = {
  standard: undefined,
  allows: (size) => size >= 1 && size <= 100,
  schema: { minimum: 1, maximum: 100, description: 'Without _page and _count the complete list is returned.' },
  advice: 'Use 1 to 100.',
}

export const sortBy = (fields: SortFields, standard: string) => ({ fields, default: standard })

/** A filter by id: an unknown id matches nothing, an empty one does not filter. */
export const idFilter = (kind: IdKind) =>
  param({ type: 'string', description: `An id (${kind.prefix}…).`, ...refersTo(kind) }, (raw) => {
    const id = scalar(raw).trim()
    return id === '' || isId(kind, id) ? id : refuse(`must be an id that starts with ${kind.prefix}`)
  })

/** The parameters of a list: its filters, and _page, _count and _order, which become one `page`. */
export function listParams<F extends z.ZodRawShape, Limit extends number | undefined>(
  filters: F,
  { count, order, plainNames }: Paging<Limit>,
) {
  const words = Object.keys(order.fields)
  const number = param({ type: 'integer', minimum: 0, default: 0 }, (raw) => {
    return wholeNumber(scalar(raw), 1_000_000_000) ?? refuse('must be a whole number from 0 on')
  }).optional()
  const size = param({ type: 'integer', ...count.schema, ...standardOf(count) }, (raw) => {
    const given = wholeNumber(scalar(raw), 1_000_000)
    return given !== undefined && count.allows(given)
      ? given
      : refuseWhole(`Page size ${shown(raw)} is not valid. ${count.advice}`)
  }).optional()
  return z
    .object({
      ...filters,
      ...(plainNames && { page: number, count: size }),
      _page: number,
      _count: size,
      _order: param<Page['order'], string>(
        {
          type: 'string',
          default: order.default,
          description: `One of ${words.join(', ')}, followed by ,0 (descending) or ,1 (ascending).`,
        },
        (raw) => readOrder(scalar(raw), order.fields),
      ).optional(),
    } as F & Paged)
    .transform((values) => {
      const { _page, _count, _order, ...rest } = values as Record<string, unknown>
      const plain = plainNames ? rest : {}
      const given = {
        page: (plain.page ?? _page) as number | undefined,
        size: (plain.count ?? _count) as number | undefined,
      }
      const limit = given.size ?? count.standard ?? (given.page === undefined ? undefined : 100)
      const page = {
        limit: limit as Limit,
        offset: (given.page ?? 0) * (limit ?? 0),
        order: (_order as Page['order'] | undefined) ?? readOrder(order.default, order.fields),
      }
      return { ...rest, page } as z.output<z.ZodObject<F>> & { page: Page<Limit> }
    })
}

function readOrder(value: string, fields: SortFields): Page['order'] {
  const [column = '', direction, ...rest] = value.split(',').map((word) => word.trim())
  const kind = Object.hasOwn(fields, column) ? fields[column] : undefined
  if (!kind || rest.length > 0 || !['0', '1', undefined].includes(direction)) {
    return refuse(`must be one of ${Object.keys(fields).join(', ')}, followed by ,0 (descending) or ,1 (ascending)`)
  }
  return { column, kind, ascending: direction === undefined ? kind === 'text' : direction === '1' }
}

function wholeNumber(value: string, maximum: number): number | undefined {
  return /^\d{1,10}$/.test(value) && Number(value) <= maximum ? Number(value) : undefined
}

const standardOf = ({ standard }: PageSize<number | undefined>) => (standard === undefined ? {} : { default: standard })

const shown = (raw: unknown) => (typeof raw === 'object' ? 'given' : String(raw).slice(0, 40))
