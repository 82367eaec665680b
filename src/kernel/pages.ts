/** A list that is too long to be held in memory: it is read page by page while somebody takes it, and can be read once. */
export type Pages<Item> = AsyncIterable<readonly Item[]>

/** A list as a whole where it is short, else in pages. */
export type Listed<Item> = readonly Item[] | Pages<Item>

export const isPaged = <Item>(listed: Listed<Item>): listed is Pages<Item> => !Array.isArray(listed)

/** The whole list, for callers that need all of it at once and know that it fits. */
export async function gathered<Item>(listed: Listed<Item>): Promise<readonly Item[]> {
  if (!isPaged(listed)) return listed
  const all: Item[] = []
  for await (const page of listed) all.push(...page)
  return all
}

/** Reads a page for each of these. The next one is read while the one before it is taken. */
export async function* pagesOf<Part, Item>(
  parts: Iterable<Part>,
  read: (part: Part) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  const left = parts[Symbol.iterator]()
  const readNext = () => {
    const { value, done } = left.next()
    if (done) return undefined
    const reading = read(value)
    // Nobody may want it any more when it fails.
    reading.catch(() => {})
    return reading
  }
  for (let reading = readNext(); reading; ) {
    const page = await reading
    reading = readNext()
    if (page.length > 0) yield page
  }
}

/** What stands for rows in a list, where some of them bring much with them: as a whole if all together weigh little, else in pages. */
export async function listedByWeight<Row, Item>(
  rows: readonly Row[],
  { weightOf, most }: { weightOf: (row: Row) => number; most: number },
  each: (rows: readonly Row[]) => Promise<readonly Item[]>,
): Promise<Listed<Item>> {
  const runs: Row[][] = []
  let weight = Number.POSITIVE_INFINITY
  for (const row of rows) {
    weight += weightOf(row)
    if (weight <= most) runs.at(-1)?.push(row)
    else {
      runs.push([row])
      weight = weightOf(row)
    }
  }
  return runs.length <= 1 ? each(rows) : pagesOf(runs, each)
}
