import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import type { ReadClick } from './click-bundle.ts'

const span = 30_000

interface CountedClick {
  visitor: string
  link: string
  at: Date
}

/**
 * Those that repeat a click of the same visitor on the same link within 30 seconds of one that counted, in whichever order they
 * come to be counted. The clicks are given in the order of their time.
 */
export async function repeatedClicks(db: Db, accountId: string, clicks: readonly ReadClick[]) {
  const people = clicks.filter((click) => click.class === 'human' && click.visitor !== '')
  const counted = new Map<string, number[]>()
  const timesOf = ({ visitor, link }: Omit<CountedClick, 'at'>) => {
    const key = `${visitor} ${link}`
    const times = counted.get(key) ?? []
    counted.set(key, times)
    return times
  }
  for (const click of await countedAround(db, accountId, people)) timesOf(click).push(click.at.getTime())
  const repeated = new Set<ReadClick>()
  for (const click of people) {
    const { at } = click
    const times = timesOf(click)
    if (times.some((time) => Math.abs(time - at) < span)) repeated.add(click)
    else times.push(at)
  }
  return repeated
}

/** What counted of these visitors a little before, meanwhile and a little after. */
async function countedAround(db: Db, accountId: string, clicks: readonly ReadClick[]): Promise<CountedClick[]> {
  const [first, last] = [clicks[0], clicks.at(-1)]
  if (!first || !last) return []
  const visitors = [...new Set(clicks.map(({ visitor }) => visitor))]
  const [from, to] = [new Date(first.at - span), new Date(last.at + span)]
  const { rows } = await sql<CountedClick>`
    select v.visitor, c.link, c.at from unnest(${visitors}::text[]) as v (visitor) cross join lateral (
      select link_id as link, created as at from clicks
      where account_id = ${accountId} and class = 'human' and visitor_id = v.visitor and created > ${from} and created < ${to}) c`.execute(
    db,
  )
  return rows
}
