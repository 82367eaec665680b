import { type AnyField, propertyName, wireForm } from './fields.ts'

/** Of one list: so many items are written in no time. */
const fewItems = 100

type Members = { readonly [property: string]: unknown }
type Item = { readonly id: string }

/** Writes an object with `Result` and these fields, of which some are long lists, in pieces of a few items each. */
export function longListWriter(fields: { readonly [name: string]: AnyField }) {
  const members = Object.entries(fields).map(([name, field]) => {
    const wanted = { key: JSON.stringify(name), property: propertyName(name), many: field.many }
    return { ...wanted, form: wireForm<unknown, unknown>((field.many?.of ?? field) as never) }
  })
  const lists = members.filter(({ many }) => many)

  return {
    isLong: (value: Members) =>
      lists.some(({ property }) => ((value[property] as Item[] | undefined)?.length ?? 0) > fewItems),
    *pieces(value: Members): Iterable<string> {
      yield '{"Result":true'
      for (const { key, property, many, form } of members) {
        const member = value[property]
        if (member === undefined) continue
        yield `,${key}:`
        if (many) yield* listPieces(member as readonly Item[], many.byId, form)
        else yield JSON.stringify(form(member))
      }
      yield '}'
    },
  }
}

function* listPieces(items: readonly Item[], byId: boolean, form: (item: unknown) => unknown) {
  const [opening, closing] = byId ? '{}' : '[]'
  yield opening as string
  for (let start = 0; start < items.length; start += fewItems) {
    const some = items.slice(start, start + fewItems)
    const written = byId ? Object.fromEntries(some.map((item) => [item.id, form(item)])) : some.map(form)
    yield `${start === 0 ? '' : ','}${JSON.stringify(written).slice(1, -1)}`
  }
  yield closing as string
}
