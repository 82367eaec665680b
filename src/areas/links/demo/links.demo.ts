import type { Context } from '#kernel/context.ts'
import { linksIn } from '../link/text-links.ts'

export interface DemoLink {
  id: string
  created: Date
  network: string
  /** Empty for a link on the profile itself, which is clicked all the time. */
  postId: string
}

const day = 24 * 60 * 60 * 1000
const standingLinks = 9

/**
 * Short links of the demo's sent posts, as created by publishing; and some that have been on profiles
 * for three months.
 */
export async function seedDemoLinks(context: Context): Promise<DemoLink[]> {
  const { db, accountId, now } = context
  const links = (await sentPosts(context)).flatMap(({ message, postlogCreated, ...post }) =>
    // Links are created shortly before the post is sent.
    urlsIn(message).map((url) => ({ ...post, url, created: new Date(postlogCreated.getTime() - 1500) })),
  )
  if (links.length === 0) return []
  const seen = new Set<string>()
  const standing = links
    .filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId))
    .slice(0, standingLinks)
    .map((link, index) => ({
      ...link,
      postId: '',
      created: new Date(now.getTime() - (90 - index * 2) * day),
    }))
  const rows = [...links, ...standing].map(({ url, campaign, created, ...post }, index) => {
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
