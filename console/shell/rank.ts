/**
 * Fuzzy search: characters must occur in order; matches that are earlier, closer together and at word starts rank higher. Without a query,
 * returns all items in order.
 */
export function rank<Item>(items: readonly Item[], wanted: string, nameOf: (item: Item) => string): Item[] {
  const letters = wanted.toLowerCase().replace(/\s+/g, '')
  if (letters === '') return [...items]
  return items
    .map((item) => ({ item, score: scoreOf(nameOf(item).toLowerCase(), letters) }))
    .filter(({ score }) => score >= 0)
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item)
}

function scoreOf(name: string, letters: string): number {
  let [at, score] = [-1, 0]
  for (const letter of letters) {
    const next = name.indexOf(letter, at + 1)
    if (next < 0) return -1
    if (next === at + 1) score += 3
    else if (next === 0 || name[next - 1] === ' ') score += 2
    at = next
  }
  return score - name.length / 100
}
