/** A list that is too large for memory. It is read page by page as it is consumed, and only once. */
export type Pages<Item> = AsyncIterable<readonly Item[]>

/** A short list as an array, a long one in pages. */
export type Listed<Item> = readonly Item[] | Pages<Item>

export const isPaged = <Item>(listed: Listed<Item>): listed is Pages<Item> => !Array.isArray(listed)

/** The whole list, for callers that need all of it and know that it fits into memory. */
export async function gathered<Item>(listed: Listed<Item>): Promise<readonly Item[]> {
  if (!isPaged(listed)) return listed
  const all: Item[] = []
  for await (const page of listed) all.push(...page)
  return all
}

/** Reads a page for each part. The next page is read while the previous one is consumed. */
export async function* pagesOf<Part, Item>(
  parts: Iterable<Part>,
  read: (part: Part) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  const left = parts[Symbol.iterator]()
  const readNext = () => {
    const { value, done } = left.next()
    if (done) return undefined
    const reading = read(value)
    // The consumer may have stopped by the time the read fails.
    reading.catch(() => {})
    return reading
  }
  for (let reading = readNext(); reading; ) {
    const page = await reading
    reading = readNext()
    if (page.length > 0) yield page
  }
}

/** Maps rows of varying weight to list items: as an array if their total weight is small, else in pages. */
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
