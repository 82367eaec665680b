import type { Metrics } from '../connector/activity.ts'

/** The numbers of posts, a few at a time; those nobody knows are left out. */
export async function readMetrics(
  postIds: readonly string[],
  read: (id: string) => Promise<Metrics | undefined>,
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let first = 0; first < postIds.length; first += atOnce) {
    const ids = postIds.slice(first, first + atOnce)
    const numbers = await Promise.all(ids.map(read))
    for (const [index, id] of ids.entries()) {
      const known = numbers[index]
      if (known) found.set(id, known)
    }
  }
  return found
}

const atOnce = 4
