import type { Context } from '#kernel/context.ts'
import { may } from '#kernel/permissions.ts'
import { makeRoom } from '#kernel/room/room.ts'
import { longestDestination } from './destination.ts'
import { changeDestination, requireDestination } from './link.ts'
import { makeLinks } from './link-making.ts'
import { shortUrl } from './short-url.ts'

interface Campaign {
  id: string
  /** The link that its address has so far. */
  linkId: string | null
  /** Empty: it has none any more. */
  url: string
}

/**
 * The link that a campaign has for its address from now on: the same one, leading elsewhere, or a new one. What a campaign leaves
 * behind leads where it led, and so does what somebody cannot lead elsewhere who may not approve: it may stand anywhere.
 */
export async function campaignLink(context: Context, { id, linkId, url }: Campaign): Promise<string | null> {
  if (url === '') return null
  await requireDestination(context, 'url', url)
  if (!linkId || !may(context.role, 'approve')) return makeLink(context, id, url)
  await changeDestination(context, { id: linkId, longUrl: url })
  return linkId
}

/** The address that is given to people; empty where there is none. */
export async function campaignShortUrl(context: Context, linkId: string | null): Promise<string> {
  if (linkId === null) return ''
  const link = await context.db
    .selectFrom('links')
    .select(['host', 'hash'])
    .where('accountId', '=', context.accountId)
    .where('id', '=', linkId)
    .executeTakeFirst()
  return link ? shortUrl(context.shortUrl, link) : ''
}

async function makeLink(context: Context, campaignId: string, url: string): Promise<string> {
  const { db, accountId, now } = context
  await makeRoom(context, 'links', db.selectFrom('links').where('accountId', '=', accountId))
  const place = { postId: '', credentialId: '', campaignId, messageId: '', network: '' }
  const [made] = await makeLinks(db, accountId, now, [{ place, urls: [url], longest: longestDestination }])
  const { id } = await db
    .selectFrom('links')
    .select('id')
    .where('accountId', '=', accountId)
    .where('hash', '=', made?.get(url)?.hash ?? '')
    .executeTakeFirstOrThrow()
  return id
}
