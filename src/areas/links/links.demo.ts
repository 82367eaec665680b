import { sql } from 'kysely'
import { incrementCounters } from '#areas/counters/increments.ts'
import { day, hour } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { authorOf, incrementsOf } from './click/click-counters.ts'
import { type DemoLink, demoVisitors, openChance, seedClicks, seedCounters, visitorOf } from './clicks.demo.ts'
import type { LinkTarget } from './link/link-create.ts'
import { linksIn } from './link/text-links.ts'

const owner = '00Ademo00000001'

const tags = [
  { id: '0ctdemo00000001', tag: 'Newsletter', value: '5.00' },
  { id: '0ctdemo00000002', tag: 'Order', value: '80.00' },
  { id: '0ctdemo00000003', tag: 'Workshop booking', value: '35.00' },
]

/** Short links of sent posts with clicks and conversions, if there are no links yet. */
export async function seedLinks(context: Context) {
  const { db, accountId, now } = context
  const some = await db.selectFrom('links').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const created = new Date(now.getTime() - 91 * day)
  const made = { accountId, created, modified: created, createdBy: owner, status: 'active' as const }
  await db
    .insertInto('conversionTags')
    .values(tags.map((tag) => ({ ...made, ...tag })))
    .execute()
  await db
    .insertInto('conversionTagAccounts')
    .values(tags.map(({ id: tag }) => ({ tag, account: accountId })))
    .execute()
  // Without statistics the planner expects one row instead of thousands and would use nested loops.
  await sql`set local enable_nestloop = off`.execute(db)
  const links = await seedPostLinks(context)
  if (links.length === 0) return
  await seedClicks(
    context,
    links,
    tags.map(({ id }) => id),
  )
  await seedCounters(context)
}

const profileLinks = 9

/**
 * Short links of the demo's sent posts, as created by publishing, and links that have been on profiles for three months.
 */
async function seedPostLinks(context: Context): Promise<DemoLink[]> {
  const { db, accountId, now } = context
  const links = (await sentPosts(context)).flatMap(({ message, postlogCreated, ...post }) =>
    // Links are created shortly before the post is sent.
    urlsIn(message).map((url) => ({ ...post, url, created: new Date(postlogCreated.getTime() - 1500) })),
  )
  if (links.length === 0) return []
  const seen = new Set<string>()
  const onProfiles = links
    .filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId))
    .slice(0, profileLinks)
    .map((link, index) => ({
      ...link,
      postId: '',
      created: new Date(now.getTime() - (90 - index * 2) * day),
    }))
  const rows = [...links, ...onProfiles].map(({ url, campaign, created, ...post }, index) => {
    const number = index + 1
    const params = { utm_source: post.network.toLowerCase(), utm_medium: 'social', utm_campaign: campaign }
    return {
      accountId,
      id: `008demo${String(number).padStart(8, '0')}`,
      created,
      modified: created,
      ...post,
      hash: `demo${String(number).padStart(4, '0')}`,
      originalUrl: url,
      longUrl: url,
      params: JSON.stringify(params),
    }
  })
  await db.insertInto('links').values(rows).execute()
  await db
    .insertInto('linkHashes')
    .values(rows.map(({ hash, id: link, longUrl, params }) => ({ hash, account: accountId, link, longUrl, params })))
    .execute()
  return rows
}

const urlsIn = (message: string) => [...new Set(linksIn(message).map(({ url }) => url))]

const sentPosts = ({ db, accountId }: Context) =>
  db
    .selectFrom('postlogs')
    .innerJoin('messages', (join) =>
      join.on('messages.accountId', '=', accountId).onRef('messages.id', '=', 'postlogs.messageId'),
    )
    .innerJoin('campaigns', (join) =>
      join.on('campaigns.accountId', '=', accountId).onRef('campaigns.id', '=', 'postlogs.campaignId'),
    )
    .select([
      'messages.message',
      'campaigns.name as campaign',
      'postlogs.created as postlogCreated',
      'postlogs.postId',
      'postlogs.messageId',
      'postlogs.campaignId',
      'postlogs.credentialId',
      'postlogs.network',
    ])
    .where('postlogs.accountId', '=', accountId)
    .where('postlogs.status', '=', 'success')
    .orderBy('postlogs.id')
    .execute()

export interface DemoShareLink {
  place: LinkTarget
  text: string
  created: Date
}

/** Short links of shares and their clicks, as created by publishing and counting. */
export async function seedShareLinks(context: Context, shares: readonly DemoShareLink[]) {
  const { db, accountId, now } = context
  const chance = openChance(7)
  const links = shares.flatMap(({ place, text, created }) => {
    const url = linksIn(text)[0]?.url
    return url ? [{ place, url, created }] : []
  })
  const rows = links.map(({ place: { share, ...place }, url, created }, index) => {
    const number = String(index + 1)
    const about = { id: `008demo1${number.padStart(7, '0')}`, hash: `shar${number.padStart(4, '0')}` }
    const params = JSON.stringify({ utm_source: place.network.toLowerCase(), utm_medium: 'social' })
    const leads = { originalUrl: url, longUrl: url, params, countsFor: JSON.stringify(share?.countsFor ?? {}) }
    return { accountId, ...about, created, modified: created, ...place, ...leads, shareId: share?.id ?? '' }
  })
  await db.insertInto('links').values(rows).execute()
  await db
    .insertInto('linkHashes')
    .values(rows.map(({ hash, id: link, longUrl, params }) => ({ hash, account: accountId, link, longUrl, params })))
    .execute()
  const clicks = rows
    .flatMap((row, index) =>
      Array.from({ length: chance.whole(9) }, (_, number) => ({
        row,
        countsFor: links[index]?.place.share?.countsFor ?? {},
        visitor: visitorOf(chance.whole(demoVisitors)),
        at: new Date(row.created.getTime() + (number + chance.next()) * 5 * hour),
      })),
    )
    .filter(({ at }) => at < now)
  await db
    .insertInto('clicks')
    .values(
      clicks.map(({ row, at, visitor }, index) => ({
        accountId,
        id: `009demo1${String(index + 1).padStart(7, '0')}`,
        created: at,
        linkId: row.id,
        campaignId: row.campaignId,
        messageId: row.messageId,
        postId: '',
        credentialId: row.credentialId,
        network: row.network,
        class: 'human' as const,
        reason: '',
        ...visitor,
      })),
    )
    .execute()
  await incrementCounters(
    context,
    clicks.flatMap(({ row, at, countsFor, visitor }) =>
      incrementsOf('clicks', at, {
        ...row,
        linkId: row.id,
        country: visitor.country,
        author: authorOf(undefined, countsFor),
        isBoard: true,
        countsFor,
      }),
    ),
  )
}
