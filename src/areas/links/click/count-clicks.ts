import { sql } from 'kysely'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import { tryName } from '#kernel/database/locks.ts'
import type { Log } from '#kernel/log.ts'
import type { Geo } from '../geo/geo.ts'
import { nowhere, type Place } from '../geo/place.ts'
import type { ReadClick } from './click-bundle.ts'
import { authorOf, type CountsFor, factsOf } from './click-facts.ts'
import { type ClickClass, clickClasses } from './click-row.ts'
import { repeatedClicks } from './repeated-clicks.ts'
import { takeWaiting, type WaitingBundle } from './waiting-clicks.ts'

export interface CountingInstallation {
  database: Database
  geo: Geo
  log: Log
}

/**
 * Counts clicks of one account that wait, and tells how many. Everything in one transaction: a click leaves the intake if it
 * stands among the clicks and in every counter, and only then. An account is counted by one process at a time, so that nobody
 * misses a click that another has just counted; who comes second counts nothing.
 */
export async function countClicks(
  { database, geo, log }: CountingInstallation,
  account: string,
  bundles: readonly WaitingBundle[],
) {
  const places = await placesOf(
    geo,
    bundles.flatMap(({ clicks }) => clicks),
  )
  return database.transaction(account, async (db) => {
    if (!(await tryName(db, 'clicksOfAccount', account))) return 0
    const taken = await takeWaiting(db, account, bundles)
    taken.sort((one, other) => one.at - other.at)
    const links = await linksOf(db, account, taken)
    const known = taken.filter(({ link }) => links.has(link))
    if (known.length < taken.length) {
      const gone = [...new Set(taken.map(({ link }) => link).filter((link) => !links.has(link)))]
      log.warn(
        { account, links: gone, clicks: taken.length - known.length },
        'clicks on links that are gone are dropped',
      )
    }
    const repeated = await repeatedClicks(db, account, known)
    const rows = known.map((click) => rowOf(click, links.get(click.link) as Link, repeated, places))
    const added = await insertClicks(db, account, rows)
    const counted = rows.filter((row) => row.class === 'human' && added.has(row.id))
    await addFacts(
      { db, accountId: account },
      counted.flatMap((row) => {
        const { shareId, countsFor, author: postAuthor } = links.get(row.linkId) as Link
        const author = authorOf(postAuthor, countsFor)
        return factsOf('clicks', row.created, {
          accountId: account,
          ...row,
          author,
          isBoard: shareId !== '',
          countsFor,
        })
      }),
    )
    return taken.length
  })
}

async function placesOf(geo: Geo, clicks: readonly ReadClick[]): Promise<Map<string, Place>> {
  const places = new Map<string, Place>()
  // Of those that do not count nobody asks where they came from.
  for (const click of clicks) if (click.class === 'human') places.set(click.address, await geo(click.address))
  return places
}

interface Link {
  id: string
  campaignId: string
  messageId: string
  postId: string
  credentialId: string
  network: string
  shareId: string
  countsFor: CountsFor
  /** Who wrote the post it stands in. */
  author: string | null
}

async function linksOf(db: Db, account: string, clicks: readonly ReadClick[]): Promise<Map<string, Link>> {
  const ids = [...new Set(clicks.map(({ link }) => link))]
  const { rows } = await sql<Link>`
    select l.id, l.campaign_id, l.message_id, l.post_id, l.credential_id, l.network, l.share_id, l.counts_for, p.created_by as author
    from links l left join posts p on p.account_id = ${account} and p.id = l.post_id
    where l.account_id = ${account} and l.id = any (${ids})`.execute(db)
  return new Map(rows.map((link) => [link.id, link]))
}

function rowOf(click: ReadClick, link: Link, repeated: ReadonlySet<ReadClick>, places: ReadonlyMap<string, Place>) {
  const isRepeated = repeated.has(click)
  const { id: linkId, shareId: _share, countsFor: _counts, author: _author, ...copied } = link
  return {
    ...{
      id: click.id,
      created: new Date(click.at),
      linkId,
      ...copied,
      visitorId: click.visitor,
      userAgent: click.userAgent,
    },
    class: isRepeated ? ('duplicate' as const) : classOf(click.class),
    reason: isRepeated ? 'The visitor clicked less than 30 seconds before or after.' : click.reason,
    ...(isRepeated ? nowhere : (places.get(click.address) ?? nowhere)),
  }
}

/** What nobody knows does not count. */
const classOf = (given: string): ClickClass => clickClasses.find((known) => known === given) ?? 'bot'

async function insertClicks(db: Db, account: string, rows: readonly ReturnType<typeof rowOf>[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const { rows: added } = await sql<{ id: string }>`
    insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network,
      class, reason, visitor_id, user_agent, country, city, organization, longitude, latitude)
    select ${account}, c.* from json_to_recordset(${JSON.stringify(rows)}::json) as c (id text, created timestamptz,
      "linkId" text, "campaignId" text, "messageId" text, "postId" text, "credentialId" text, network text,
      class text, reason text, "visitorId" text, "userAgent" text, country text, city text, organization text,
      longitude real, latitude real)
    on conflict do nothing returning id`.execute(db)
  return new Set(added.map(({ id }) => id))
}
