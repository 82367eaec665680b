import type { Insertable } from 'kysely'
import { clockFrom, daysFrom, demoId } from '#areas/account/account.demo.ts'
import { addSends, type NewSend } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import type { FirstComments, MediaHolds, Postlogs, Posts } from '#kernel/database/tables.ts'
import { isQueued, isScheduled, postsChanged } from '../post/post.ts'
import type { DemoCampaign } from './campaigns.demo.ts'
import { type DemoPost, demoPosts, isSentKind } from './post-table.demo.ts'
import { type DemoProfile, placesIn, profilesFor } from './queues.demo.ts'
import { remotePost, troubleOn } from './remote-posts.demo.ts'

interface Rows {
  posts: Insertable<Posts>[]
  sends: NewSend[]
  postlogs: Insertable<Postlogs>[]
  comments: Insertable<FirstComments>[]
  holds: Insertable<MediaHolds>[]
}

/** Posts sent in the last month, posts scheduled for the next one, and drafts, in the same state the product would have left them in. */
export async function seedPosts(
  context: Context,
  campaigns: readonly DemoCampaign[],
  profiles: readonly DemoProfile[],
) {
  const { db } = context
  const planned = demoPosts(campaigns)
  const rows: Rows = { posts: [], sends: [], postlogs: [], comments: [], holds: [] }
  const takePlace = placesIn(profiles, daysFrom(context)(1))
  for (const post of planned) addPost(context, rows, post, profilesFor(profiles, post), takePlace)
  await db.insertInto('posts').values(rows.posts).execute()
  await db.insertInto('firstComments').values(rows.comments).execute()
  await addSends(context, rows.sends)
  await db.insertInto('postlogs').values(rows.postlogs).execute()
  await db.insertInto('mediaHolds').values(rows.holds).execute()
  await postsChanged(context, [], rows.posts)
  return planned
}

type TakePlace = (credentialId: string) => Date

function addPost(context: Context, rows: Rows, post: DemoPost, profiles: readonly DemoProfile[], takePlace: TakePlace) {
  const { accountId } = context
  const { id, kind, campaign, message, createdBy, source, promotion } = post
  const { status, approveStatus } = standingOf(post)
  const queued = isQueued(status)
  const start = clockFrom(context)(post.day, post.minutes)
  const about = { accountId, campaignId: campaign.id, network: message.network }
  const starts = profiles.map((profile, index) => {
    const slot = queued ? takePlace(profile.id) : null
    const planned = slot ?? start
    const send = {
      contentId: id,
      groupId: campaign.id,
      network: message.network,
      credentialId: profile.id,
      kind: 'post',
      planned,
      slot,
    }
    if (isSentKind(kind)) addSent(context, rows, post, profile, send, index)
    else {
      const isPlanned = isScheduled(status)
      const due = isPlanned && campaign.status !== 'paused' ? planned : null
      rows.sends.push({ ...send, state: isPlanned ? 'waiting' : 'idle', due })
      if (kind === 'commented') rows.sends.push({ ...send, kind: 'first-comment', slot: null, state: 'idle' })
    }
    return planned
  })
  const startDateTime = starts.reduce((first, one) => (one < first ? one : first))
  const [created, modified] = [daysFrom({ now: start })(-2), daysFrom({ now: start })(isSentKind(kind) ? 0 : -1.5)]
  const written = (moment: Date) => (moment < context.now ? moment : daysFrom(context)(-1))
  rows.posts.push({
    ...about,
    id,
    created: written(created),
    modified: written(modified),
    createdBy,
    modifiedBy: createdBy,
    status,
    approveStatus,
    source,
    queued,
    messageId: message.id,
    startDateTime,
    promotion,
    credentialIds: profiles.map((profile) => profile.id),
  })
  if (kind === 'commented')
    rows.comments.push({ accountId, id: id.replace('004', '0fc'), postId: id, text: 'Details are in our field guide.' })
  if (message.mediaId && !isSentKind(kind))
    rows.holds.push({ accountId, mediaId: message.mediaId, holder: id, what: 'a scheduled post' })
}

function standingOf({ kind }: DemoPost): Pick<Insertable<Posts>, 'status' | 'approveStatus'> {
  if (kind === 'commented') return { status: 'pending', approveStatus: 'Approved' }
  if (kind === 'waiting') return { status: 'draft', approveStatus: 'Pending' }
  if (kind === 'rejected') return { status: 'draft', approveStatus: 'Rejected' }
  return { status: kind, approveStatus: 'Approved' }
}

type Send = Omit<NewSend, 'state'>

/** A partly sent post is missing on its last profile. */
function addSent(
  { accountId }: Context,
  rows: Rows,
  { id, kind, message, campaign }: DemoPost,
  profile: DemoProfile,
  send: Send,
  index: number,
) {
  const isSent = kind === 'complete' || (kind === 'incomplete' && index === 0)
  const number = rows.postlogs.length + 1
  const { remoteId, remoteUrl } = isSent ? remotePost(profile, number) : { remoteId: '', remoteUrl: '' }
  const error = isSent ? '' : troubleOn(message.network)
  const { planned, network, credentialId } = send
  const done = new Date(planned.getTime() + 2000)
  rows.sends.push({
    ...send,
    state: isSent ? 'sent' : 'failed',
    due: null,
    attempts: 1,
    intent: planned,
    error,
    remoteId,
  })
  rows.postlogs.push({
    accountId,
    id: demoId('007', number),
    created: done,
    modified: done,
    postId: id,
    campaignId: campaign.id,
    credentialId,
    messageId: message.id,
    network,
    status: isSent ? 'success' : 'failed',
    remoteId,
    remoteUrl,
    error,
    publishedDate: isSent ? done : null,
  })
}
