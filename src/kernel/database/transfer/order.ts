import type { Reference } from './catalogue.ts'
import type { Table } from './header.ts'

/** Puts a table after those it refers to; where tables refer to each other in a circle, some reference looks ahead. */
export function loadingOrder(tables: Table[], references: Reference[]): Table[] {
  const waiting = new Map(tables.map((table) => [table.name, table]))
  const ordered: Table[] = []
  while (waiting.size > 0) {
    const blocked = new Set(references.filter((reference) => looksAt(reference, waiting)).map(({ table }) => table))
    const next = [...waiting.values()].find(({ name }) => !blocked.has(name)) ?? [...waiting.values()][0]!
    waiting.delete(next.name)
    ordered.push(next)
  }
  return ordered
}

/** The references that cannot be checked table by table in this order. */
export function lookingAhead(tables: Table[], references: Reference[]): Reference[] {
  const place = new Map(tables.map(({ name }, index) => [name, index]))
  return references.filter(({ table, target }) => (place.get(table) ?? 0) < (place.get(target) ?? 0))
}

function looksAt({ table, target }: Reference, waiting: ReadonlyMap<string, Table>): boolean {
  // A table's references to itself are checked when all of its rows are there.
  return table !== target && waiting.has(target)
}
