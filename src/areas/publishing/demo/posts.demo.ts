import type { Insertable } from 'kysely'
import { clockFrom, daysFrom, demoId } from '#areas/account/account.demo.ts'
import { addSends, type NewSend } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import type { FirstComments, MediaReferences, Postlogs, Posts } from '#kernel/database/tables.ts'
import { connectedNetworks } from '#networks/manifests.ts'
import { isQueued, isScheduled, postsChanged } from '../post/post.ts'
import type { Weekday } from '../queue/local-time.ts'
import { queueTimezone, slotMoments } from '../queue/queue-slot.ts'
import type { DemoCampaign, DemoNetwork } from './campaigns.demo.ts'
import { type DemoPost, demoPosts, isSentKind } from './post-table.demo.ts'

/** On weekdays at 09:00 and 14:30. */
const week = ([1, 2, 3, 4, 5] satisfies Weekday[]).flatMap((weekday) =>
  [9 * 60, 14 * 60 + 30].map((minutes) => ({ weekday, minutes })),
)

type DemoProfile = Awaited<ReturnType<typeof seedQueues>>[number]

/** Creates a queue for every profile that can publish and returns these profiles. */
export async function seedQueues({ db, accountId }: Context) {
  const profiles = await db
    .selectFrom('credentials')
    .select([
      'id',
      'network',
      'kind',
      'networkAccountId',
      'networkUsername',
      'status',
      queueTimezone(accountId).as('timezone'),
    ])
    .where('accountId', '=', accountId)
    .where('network', 'in', connectedNetworks)
    .where('deleted', 'is', null)
    .orderBy('id')
    .execute()
  const rows = profiles.flatMap(({ id: credentialId }) => week.map((slot) => ({ accountId, credentialId, ...slot })))
  if (rows.length > 0) await db.insertInto('queueSlots').values(rows).execute()
  return profiles
}

interface Rows {
  posts: Insertable<Posts>[]
  sends: NewSend[]
  postlogs: Insertable<Postlogs>[]
  comments: Insertable<FirstComments>[]
  holds: Insertable<MediaReferences>[]
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
  const takeSlot = slotsIn(profiles, daysFrom(context)(1))
  for (const post of planned) addPost(context, rows, post, profilesFor(profiles, post), takeSlot)
  await db.insertInto('posts').values(rows.posts).execute()
  await db.insertInto('firstComments').values(rows.comments).execute()
  await addSends(context, rows.sends)
  await db.insertInto('postlogs').values(rows.postlogs).execute()
  await db.insertInto('mediaReferences').values(rows.holds).execute()
  await postsChanged(context, [], rows.posts)
  return planned
}

type TakeSlot = (credentialId: string) => Date

function addPost(context: Context, rows: Rows, post: DemoPost, profiles: readonly DemoProfile[], takeSlot: TakeSlot) {
  const { accountId } = context
  const { id, kind, campaign, message, createdBy, source, promotion } = post
  const { status, approveStatus } = statusesOf(post)
  const queued = isQueued(status)
  const start = clockFrom(context)(post.day, post.minutes)
  const about = { accountId, campaignId: campaign.id, network: message.network }
  const starts = profiles.map((profile, index) => {
    const slot = queued ? takeSlot(profile.id) : null
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

function statusesOf({ kind }: DemoPost): Pick<Insertable<Posts>, 'status' | 'approveStatus'> {
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
  const error = isSent ? '' : networkErrors[message.network]
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

/** The first working profiles of the post's network. */
const profilesFor = (profiles: readonly DemoProfile[], { message, profiles: most }: DemoPost) =>
  profiles.filter(({ network, status }) => network === message.network && status === 'valid').slice(0, most)

/** Takes the slots of each queue in order, starting after the given time. */
function slotsIn(profiles: readonly DemoProfile[], after: Date): (credentialId: string) => Date {
  const slots = new Map(profiles.map(({ id, timezone }) => [id, slotMoments(week, timezone, after)]))
  return (credentialId) => slots.get(credentialId)?.next().value as Date
}

/** The id and URL of a post on its network. */
function remotePost(profile: DemoProfile, number: number): { remoteId: string; remoteUrl: string } {
  const { network, networkAccountId: account, networkUsername: name } = profile
  const digits = (length: number) => `7${String(number * 7919).padStart(length - 1, '0')}`
  const token = `demo${String(number).padStart(7, '0')}`
  const shown: { [network: string]: [remoteId: string, remoteUrl: string] } = {
    LinkedIn: [`urn:li:share:${digits(19)}`, `https://www.linkedin.com/feed/update/urn:li:share:${digits(19)}`],
    Twitter: [digits(19), `https://x.com/${name}/status/${digits(19)}`],
    Facebook: [`${account}_${digits(15)}`, `https://www.facebook.com/${account}/posts/${digits(15)}`],
    Instagram: [digits(17), `https://www.instagram.com/p/${token}/`],
    YouTube: [token, `https://www.youtube.com/watch?v=${token}`],
  }
  const [remoteId, remoteUrl] = shown[network] ?? [token, '']
  return { remoteId, remoteUrl }
}

/** The errors with which networks refused posts. */
const networkErrors: { [network in DemoNetwork]: string } = {
  LinkedIn: 'LinkedIn: The profile may not post in the name of this page any more. Ask an administrator of the page.',
  Twitter: 'X: The same text was posted a moment ago. Change it before you post it again.',
  Facebook: 'Facebook: The picture could not be processed. Try another one.',
  Instagram: 'Instagram: The picture has a shape that is not taken. Crop it to between 4:5 and 1.91:1.',
  YouTube: 'YouTube: The channel has uploaded as many videos as it may today.',
}
