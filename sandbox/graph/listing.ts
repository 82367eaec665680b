import { type Answer, type Call, json } from '../http/call.ts'
import { numberOf, textOf } from '../http/fields.ts'
import { parseFields, select } from './selection.ts'

/** One page of a list, with the Graph API's cursors; a cursor is the id it stands behind. */
export function listing<Row extends { id: string }>(
  call: Call,
  rows: Row[],
  shape: (row: Row) => unknown,
  defaults: string,
  summary?: Record<string, unknown>,
): Answer {
  const after = textOf(call, 'after')
  const size = Math.min(numberOf(call, 'limit') ?? 25, 100)
  const behind = after === undefined ? -1 : rows.findIndex(({ id }) => cursorOf(id) === after)
  const part = rows.slice(behind + 1, behind + 1 + size)
  const first = part[0]
  const last = part.at(-1)
  const fields = parseFields(textOf(call, 'fields') ?? defaults)
  return json({
    data: part.map((row) => select(shape(row), fields)),
    ...(first && last ? { paging: paging(call, first.id, last.id, last !== rows.at(-1)) } : {}),
    ...(summary ? { summary } : {}),
  })
}

/** One node, with the fields that were asked for. */
export function node(call: Call, value: unknown, defaults: string): Answer {
  return json(select(value, parseFields(textOf(call, 'fields') ?? defaults)))
}

export function timeOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, '+0000')
}

function paging(call: Call, first: string, last: string, more: boolean) {
  const cursors = { before: cursorOf(first), after: cursorOf(last) }
  if (!more) return { cursors }
  const next = new URL(call.origin + call.path)
  for (const [name, value] of call.query) next.searchParams.set(name, value)
  next.searchParams.set('after', cursors.after)
  return { cursors, next: next.href }
}

function cursorOf(id: string): string {
  return Buffer.from(id).toString('base64url')
}
