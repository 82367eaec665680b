/** Topological sort that otherwise keeps the given order. An unknown name or a cycle is an error. */
export function inOrder<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  namesBefore: (item: Item) => readonly string[],
): Item[] {
  const byName = new Map(items.map((item) => [nameOf(item), item]))
  if (byName.size < items.length) throw new Error(`A name is declared twice among: ${items.map(nameOf).join(', ')}.`)
  const placed = new Set<Item>()
  const open = new Set<Item>()
  const add = (item: Item) => {
    if (placed.has(item)) return
    if (open.has(item)) throw new Error(`"${nameOf(item)}" comes after itself.`)
    open.add(item)
    for (const name of namesBefore(item)) {
      const before = byName.get(name)
      if (!before) throw new Error(`"${nameOf(item)}" comes after "${name}", which is not declared.`)
      add(before)
    }
    open.delete(item)
    placed.add(item)
  }
  for (const item of items) add(item)
  return [...placed]
}
