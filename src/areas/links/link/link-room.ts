import type { Installation } from '#kernel/installation.ts'
import { makeRoom, NoRoom } from '#kernel/room/room.ts'
import {
  countOf,
  isTakenHash,
  type LinksByUrl,
  linksOf,
  makeLinks,
  makeLinksAtOnce,
  type WantedLinks,
} from './link-making.ts'

/**
 * Makes the links of posts on profiles, as far as the account may have more. Where it may not, those there are already are given and
 * no others: a post goes out with the addresses as somebody wrote them, rather than not at all.
 */
export async function linksWithin(
  { database, accountLimits }: Pick<Installation, 'database' | 'accountLimits'>,
  accountId: string,
  now: Date,
  wanted: readonly WantedLinks[],
): Promise<LinksByUrl[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await makeWithin({ database, accountLimits }, accountId, now, wanted)
    } catch (error) {
      if (!isTakenHash(error) || attempt === collisions) throw error
    }
  }
}

const collisions = 5

async function makeWithin(
  { database, accountLimits }: Pick<Installation, 'database' | 'accountLimits'>,
  accountId: string,
  now: Date,
  wanted: readonly WantedLinks[],
): Promise<LinksByUrl[]> {
  const apart = database.forAccount(accountId)
  const links = await makeLinksAtOnce({ db: apart, accountId, accountLimits }, now, wanted)
  if (links) return links
  try {
    return await database.transaction(accountId, async (db) => {
      const existing = db.selectFrom('links').where('accountId', '=', accountId)
      await makeRoom({ db, accountId, accountLimits }, 'links', existing, countOf(wanted))
      return makeLinks(db, accountId, now, wanted)
    })
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error
    return Promise.all(wanted.map(({ place }) => linksOf(apart, accountId, place)))
  }
}
