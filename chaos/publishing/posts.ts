import { scopeIds } from '#areas/account/declarations.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { postsChanged } from '#areas/publishing/post/post.ts'
import { addSends } from '#areas/sending/sends.ts'
import { change, systemActor } from '#kernel/change.ts'
import { newId } from '#kernel/ids.ts'
import { account } from '../installation.ts'
import type { ConnectedProfile } from './profiles.ts'
import { opening, type Stage } from './stage.ts'

const createdBy = '00Ademo00000001'
const picture = '026demo00000001'
const film = '026demo00000005'
/** Where the links of all posts lead. */
export const linkedSite = 'https://shop.example/'

export interface PlannedPost {
  id: string
  campaignId: string
  /** Words that no other post has; a link follows them. */
  text: string
  profiles: readonly ConnectedProfile[]
  planned: Date
}

export type NewPost = Omit<PlannedPost, 'id' | 'text'>

/** Active campaigns with nothing in them. */
export async function makeCampaigns({ installation }: Stage, count: number): Promise<string[]> {
  const now = installation.clock.now()
  const about = { accountId: account, created: now, modified: now, createdBy, modifiedBy: createdBy, color: '#2456D6' }
  const ids = Array.from({ length: count }, () => newId(scopeIds.campaign, now))
  const campaigns = ids.map((id, index) => ({ ...about, id, name: `Chaos ${index}`, startDate: now }))
  const db = installation.database.forAccount(account)
  await db.insertInto('campaigns').values(campaigns).execute()
  return ids
}

/** Schedules many posts at once, each from a message of its own, the way the interface would one by one. */
export async function schedulePosts({ installation }: Stage, wanted: readonly NewPost[]): Promise<PlannedPost[]> {
  const now = installation.clock.now()
  const made = wanted.map((post) => {
    const id = newId(publishingIds.post, now)
    return { ...post, id, text: `${opening} ${id}`, messageId: newId(publishingIds.message, now) }
  })
  const by = { accountId: account, created: now, modified: now, createdBy, modifiedBy: createdBy }
  await change(installation, systemActor(account, now), async (context) => {
    const { db } = context
    for (const part of parts(made)) {
      await db
        .insertInto('messages')
        .values(part.map((post) => ({ ...by, ...messageOf(post) })))
        .execute()
      const media = part.flatMap(mediaOf)
      if (media.length > 0) await db.insertInto('messageMedia').values(media).execute()
      const posts = part.map(({ id, campaignId, messageId, profiles, planned }) => ({
        ...by,
        id,
        campaignId,
        messageId,
        network: networkOf(profiles),
        startDateTime: planned,
        status: 'pending' as const,
        approveStatus: 'Approved' as const,
        source: 'API' as const,
        queued: false,
        credentialIds: profiles.map((profile) => profile.id),
      }))
      await db.insertInto('posts').values(posts).execute()
      await addSends(context, part.flatMap(sendsOf))
    }
    await postsChanged(context, [], made.map(counted))
  })
  return made.map(({ messageId: _, ...post }) => post)
}

type Made = PlannedPost & { messageId: string }

const networkOf = (profiles: readonly ConnectedProfile[]) => profiles[0]?.network ?? 'Twitter'

const messageOf = ({ campaignId, messageId, text, profiles }: Made) => ({
  // With a link, which is made a short one when the post goes out.
  id: messageId,
  campaignId,
  network: networkOf(profiles),
  message: `${text} ${linkedSite}${messageId}`,
  type: fileFor(profiles) ? ('media-attachment' as const) : ('status-update' as const),
  subject: networkOf(profiles) === 'YouTube' ? text : '',
})

/** What the network does not take posts without. */
function fileFor(profiles: readonly ConnectedProfile[]): string | undefined {
  const network = networkOf(profiles)
  if (network === 'Instagram') return picture
  return network === 'YouTube' || network === 'TikTok' ? film : undefined
}

function mediaOf({ messageId, profiles }: Made) {
  const mediaId = fileFor(profiles)
  return mediaId ? [{ accountId: account, messageId, position: 0, mediaId }] : []
}

const sendsOf = ({ id: contentId, campaignId: groupId, profiles, planned }: Made) =>
  profiles.map(({ id: credentialId, network }) => ({
    contentId,
    credentialId,
    groupId,
    network,
    planned,
    due: planned,
    kind: 'post',
    state: 'waiting' as const,
  }))

function* parts<Item>(items: readonly Item[]) {
  for (let at = 0; at < items.length; at += 200) yield items.slice(at, at + 200)
}

const counted = ({ id, campaignId }: Made) => ({
  id,
  campaignId,
  createdBy,
  source: 'API' as const,
  status: 'pending' as const,
})
