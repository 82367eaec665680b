/**
 * Fuzzy search: characters must occur in order; matches that are earlier, closer together and at word starts rank higher. Without a query,
 * returns all items in order.
 */
export function rank<Item>(items: readonly Item[], query: string, nameOf: (item: Item) => string): Item[] {
  const characters = query.toLowerCase().replace(/\s+/g, '')
  if (characters === '') return [...items]
  return items
    .map((item) => ({ item, score: scoreOf(nameOf(item).toLowerCase(), characters) }))
    .filter(({ score }) => score >= 0)
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item)
}

function scoreOf(name: string, characters: string): number {
  let [at, score] = [-1, 0]
  for (const character of characters) {
    const next = name.indexOf(character, at + 1)
    if (next < 0) return -1
    if (next === at + 1) score += 3
    else if (next === 0 || name[next - 1] === ' ') score += 2
    at = next
  }
  return score - name.length / 100
}
