import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

const mostMentions = 20
/** Longer than any name. */
const longestName = 130

/** Users who are named in a text as @First Last; of names that begin alike the longest counts. */
export async function mentionedIn({ db, accountId }: Context, text: string): Promise<string[]> {
  const places = placesIn(text)
  if (places.length === 0) return []
  const { rows } = await sql<{ place: string; id: string; name: string }>`
    select p.place, u.id, u.name from unnest(${places}::text[]) as p (place)
    join users u on u.account_id = ${accountId} and u.name <> '' and starts_with(lower(p.place), lower(u.name))
    where u.account_id = ${accountId} and u.status = 'active' and u.role is not null`.execute(db)
  const found = places.flatMap((place) => {
    const named = rows.filter((row) => row.place === place && isWhole(place, row.name))
    const longest = Math.max(...named.map(({ name }) => name.length))
    return named.filter(({ name }) => name.length === longest).map(({ id }) => id)
  })
  return [...new Set(found)]
}

/** What stands behind each @ that begins a word. */
function placesIn(text: string): string[] {
  const places: string[] = []
  for (let at = text.indexOf('@'); at >= 0 && places.length < mostMentions; at = text.indexOf('@', at + 1)) {
    if (at > 0 && /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) continue
    places.push(text.slice(at + 1, at + 1 + longestName).toWellFormed())
  }
  return [...new Set(places)].filter((place) => place.trim() !== '')
}

/** "@Ann" names nobody in "@Annette". */
const isWhole = (place: string, name: string) => !/^[\p{L}\p{N}]/u.test(place.slice(name.length))
