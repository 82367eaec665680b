import { isPaged, type Listed } from '../pages.ts'
import { type AnyField, json, propertyName, wireForm } from './fields.ts'

/**
 * The JSON text of a response in pieces, each quick to serialize. Lists that are read page by page yield a group of pieces per page,
 * awaited in between.
 */
export type Pieces = Iterable<string> | AsyncIterable<Iterable<string>>

/** Lists up to this length are serialized in one go. */
const fewItems = 25
/** Target size of a piece in characters, and the maximum number of items in one. */
const pieceSize = 32 * 1024
const mostItems = 200

type Members = { readonly [property: string]: unknown }
type Item = { readonly id: string }

interface Member {
  key: string
  property: string
  many: AnyField['many']
  form: (value: unknown) => unknown
}

/** Serializes an object with `Result` and these fields, some of which are lists that may be long or too large for memory. */
export function longListWriter(fields: { readonly [name: string]: AnyField }) {
  const members = Object.entries(fields).map(([name, field]): Member => {
    const wanted = { key: JSON.stringify(name), property: propertyName(name), many: field.many }
    return { ...wanted, form: wireForm<unknown, unknown>((field.many?.of ?? field) as never) }
  })
  const listsOf = (value: Members) =>
    members.flatMap(({ many, property }) => (many && value[property] ? [value[property] as Listed<Item>] : []))

  const frame = { opening: '{"Result":true', closing: '}', members }
  return {
    isLong: (value: Members) => listsOf(value).some((list) => isPaged(list) || list.length > fewItems),
    pieces: (value: Members): Pieces =>
      listsOf(value).some(isPaged) ? pagedPieces(frame, value) : wholePieces(frame, value),
  }
}

/** Serializes `{Result, key}` with an object of plain JSON under the key. Lists among its members may be too large for memory. */
export const longObjectWriter = (key: string) => (value: Members) => {
  const members = Object.entries(value).map(([name, member]) => {
    const isList = Array.isArray(member) || isPages(member)
    return { key: JSON.stringify(name), property: name, many: isList ? plainList : undefined, form: same }
  })
  return pagedPieces({ opening: `{"Result":true,${JSON.stringify(key)}:{`, closing: '}}', members }, value)
}

const plainList = { of: json, byId: false }
const same = (value: unknown) => value
const isPages = (value: unknown) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value

interface Frame {
  opening: string
  closing: string
  members: readonly Member[]
}

function* wholePieces({ opening, closing, members }: Frame, value: Members): Iterable<string> {
  yield opening
  const comma = commas(opening)
  for (const member of members) if (value[member.property] !== undefined) yield* memberPieces(member, value, comma())
  yield closing
}

async function* pagedPieces({ opening, closing, members }: Frame, value: Members): AsyncGenerator<Iterable<string>> {
  yield [opening]
  const comma = commas(opening)
  for (const member of members) {
    const list = value[member.property] as Listed<Item> | undefined
    if (list === undefined) continue
    if (!member.many || !isPaged(list)) {
      yield memberPieces(member, value, comma())
      continue
    }
    const [begin, end] = bracketsOf(member)
    yield [`${comma()}${member.key}:${begin}`]
    const write = itemWriter(member)
    for await (const page of list) yield write(page)
    yield [end]
  }
  yield [closing]
}

function* memberPieces(member: Member, value: Members, comma: string): Iterable<string> {
  const { key, property, many, form } = member
  yield `${comma}${key}:`
  if (many) {
    const [begin, end] = bracketsOf(member)
    yield begin
    yield* itemWriter(member)(value[property] as readonly Item[])
    yield end
  } else yield JSON.stringify(form(value[property]))
}

/** The separator before a member: none before the first one of an object. */
function commas(opening: string): () => string {
  let next = opening.endsWith('{') ? '' : ','
  return () => {
    const comma = next
    next = ','
    return comma
  }
}

const bracketsOf = ({ many }: Member) => (many?.byId ? (['{', '}'] as const) : (['[', ']'] as const))

/** Serializes the items of a list in pieces of about the target size: some items are a hundred times as large as others. */
function itemWriter({ many, form }: Member): (items: readonly Item[]) => Iterable<string> {
  let atOnce = fewItems
  let isFirst = true
  return function* (items) {
    for (let start = 0; start < items.length; ) {
      const some = items.slice(start, start + atOnce)
      const written = many?.byId ? Object.fromEntries(some.map((item) => [item.id, form(item)])) : some.map(form)
      const text = JSON.stringify(written).slice(1, -1)
      yield isFirst ? text : `,${text}`
      isFirst = false
      start += some.length
      atOnce = Math.max(1, Math.min(mostItems, 2 * atOnce, Math.round((some.length * pieceSize) / text.length)))
    }
  }
}
