import { scopeIds } from '#areas/account/declarations.ts'
import { keepProfile } from '#areas/profiles/connect/connected-profile.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { postsChanged } from '#areas/publishing/post/post.ts'
import { addSends } from '#areas/sending/sends.ts'
import { change, systemActor } from '#kernel/change.ts'
import { newId } from '#kernel/ids.ts'
import type { Grant } from '#networks/connector/connector.ts'
import { retryUntilAvailable } from '../databases.ts'
import { account } from '../installation.ts'
import { type Harness, postPrefix } from './harness.ts'

const createdBy = '00Ademo00000001'
const image = '026demo00000001'
const video = '026demo00000005'
/** Target site of the links in all posts. */
export const linkedSite = 'https://shop.example/'

export interface PlannedPost {
  id: string
  campaignId: string
  /** Unique text, followed by a link. */
  text: string
  profiles: readonly ConnectedProfile[]
  planned: Date
}

export type NewPost = Omit<PlannedPost, 'id' | 'text'>

/** Creates active, empty campaigns. */
export async function createCampaigns({ installation }: Harness, count: number): Promise<string[]> {
  const now = installation.clock.now()
  const about = { accountId: account, created: now, modified: now, createdBy, modifiedBy: createdBy, color: '#2456D6' }
  const ids = Array.from({ length: count }, () => newId(scopeIds.campaign, now))
  const campaigns = ids.map((id, index) => ({ ...about, id, name: `Chaos ${index}`, startDate: now }))
  const db = installation.database.forAccount(account)
  await db.insertInto('campaigns').values(campaigns).execute()
  return ids
}

/** Schedules many posts at once, each with its own message, as the API would. */
export async function schedulePosts({ installation }: Harness, wanted: readonly NewPost[]): Promise<PlannedPost[]> {
  const now = installation.clock.now()
  const made = wanted.map((post) => {
    const id = newId(publishingIds.post, now)
    return { ...post, id, text: `${postPrefix} ${id}`, messageId: newId(publishingIds.message, now) }
  })
  const by = { accountId: account, created: now, modified: now, createdBy, modifiedBy: createdBy }
  await change(installation, systemActor(account, now), async (context) => {
    const { db } = context
    for (const part of batches(made)) {
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

type PreparedPost = PlannedPost & { messageId: string }

const networkOf = (profiles: readonly ConnectedProfile[]) => profiles[0]?.network ?? 'Twitter'

const messageOf = ({ campaignId, messageId, text, profiles }: PreparedPost) => ({
  // With a link, which is shortened at publication.
  id: messageId,
  campaignId,
  network: networkOf(profiles),
  message: `${text} ${linkedSite}${messageId}`,
  type: fileFor(profiles) ? ('media-attachment' as const) : ('status-update' as const),
  subject: networkOf(profiles) === 'YouTube' ? text : '',
})

/** The media that the network requires. */
function fileFor(profiles: readonly ConnectedProfile[]): string | undefined {
  const network = networkOf(profiles)
  if (network === 'Instagram') return image
  return network === 'YouTube' || network === 'TikTok' ? video : undefined
}

function mediaOf({ messageId, profiles }: PreparedPost) {
  const mediaId = fileFor(profiles)
  return mediaId ? [{ accountId: account, messageId, position: 0, mediaId }] : []
}

const sendsOf = ({ id: contentId, campaignId: groupId, profiles, planned }: PreparedPost) =>
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

function* batches<Item>(items: readonly Item[]) {
  for (let at = 0; at < items.length; at += 200) yield items.slice(at, at + 200)
}

const counted = ({ id, campaignId }: PreparedPost) => ({
  id,
  campaignId,
  createdBy,
  source: 'API' as const,
  status: 'pending' as const,
})

type ProfileKind = Pick<Grant, 'network' | 'kind'>

export const profileKinds = {
  x: { network: 'Twitter', kind: 'account' },
  facebook: { network: 'Facebook', kind: 'page' },
  linkedInPage: { network: 'LinkedIn', kind: 'page' },
  linkedInMember: { network: 'LinkedIn', kind: 'member' },
  instagram: { network: 'Instagram', kind: 'account' },
  youtube: { network: 'YouTube', kind: 'channel' },
  tiktok: { network: 'TikTok', kind: 'account' },
} satisfies Record<string, ProfileKind>

/** A connected profile of a sandbox network. */
export interface ConnectedProfile extends ProfileKind {
  /** Id in the service. */
  id: string
  /** Id on the network. */
  remoteId: string
}

/** Response of POST /__sandbox/profile. */
export interface CreatedProfile {
  id: string
  username: string
  accessToken: string
  refreshToken: string | null
  scopes: string[]
}

const monthSeconds = 30 * 24 * 60 * 60

/** Creates profiles on the networks and connects them, as a login would. */
export async function connectProfiles(harness: Harness, kinds: readonly ProfileKind[]): Promise<ConnectedProfile[]> {
  const grants: Grant[] = []
  for (const [index, { network, kind }] of kinds.entries()) {
    const name = `Chaos ${network} ${index}`
    const requested = { network, kind, name, expiresInSeconds: monthSeconds }
    const { id, username, accessToken, refreshToken, scopes } = (await harness.control(
      '/profile',
      requested,
    )) as CreatedProfile
    // Most apps may not read posts of members.
    const secret = { accessToken, scopes: kind === 'member' ? [] : scopes, ...(refreshToken && { refreshToken }) }
    grants.push({ network, kind, remoteId: id, name, username, secret })
  }
  const { installation } = harness
  return change(installation, systemActor(account, installation.clock.now()), async (context) => {
    const connected: ConnectedProfile[] = []
    for (const grant of grants)
      connected.push({
        network: grant.network,
        kind: grant.kind,
        remoteId: grant.remoteId,
        id: await keepProfile({ ...context, userId: '00Ademo00000001' }, grant),
      })
    return connected
  })
}

type KindName = keyof typeof profileKinds

/** Generates posts that are due during a run. */
export interface PostGenerator {
  readonly posts: readonly PlannedPost[]
  /** Number of posts not yet scheduled. */
  left(): number
  /** Schedules this many more posts for the next second. */
  release(count: number): Promise<void>
}

interface PostGeneratorOptions {
  posts: number
  networks: readonly KindName[]
  /** One in this many posts goes to Instagram, which needs several steps. */
  instagramEvery?: number
  random: () => number
}

/** Ten posts for each profile; every tenth post goes to three profiles. */
export async function openPostGenerator(
  harness: Harness,
  { posts: total, networks, instagramEvery = 40, random }: PostGeneratorOptions,
): Promise<PostGenerator> {
  const campaigns = await createCampaigns(harness, 20)
  const count = Math.max(4 * networks.length, Math.round(total / 10))
  const wanted = Array.from({ length: count }, (_, index) => networks[index % networks.length] as KindName)
  const instagram: KindName[] = Array.from({ length: Math.ceil(count / 20) }, () => 'instagram')
  const names = [...wanted, ...instagram]
  const profiles = await connectProfiles(
    harness,
    names.map((name) => profileKinds[name]),
  )
  const of = (name: KindName) => profiles.filter((_, index) => names[index] === name)
  const groups = new Map(names.map((name) => [name, of(name)]))
  const posts: PlannedPost[] = []

  const next = (number: number): NewPost => {
    const isInstagram = number % instagramEvery === instagramEvery - 1
    const group = groups.get(isInstagram ? 'instagram' : (networks[number % networks.length] as KindName)) ?? []
    const first = Math.floor(random() * group.length)
    const targets = number % 10 === 0 ? Math.min(3, group.length) : 1
    return {
      campaignId: campaigns[number % campaigns.length] as string,
      profiles: Array.from({ length: targets }, (_, index) => group[(first + index) % group.length]).filter(
        (one) => one !== undefined,
      ),
      planned: new Date(Date.now() + random() * 1_000),
    }
  }
  let number = 0
  return {
    posts,
    left: () => Math.max(0, total - number),
    async release(requestedCount) {
      const wanted = Array.from({ length: Math.round(requestedCount) }, () => next(number++))
      if (wanted.length === 0) return
      // Unconfirmed posts may exist but are not verified.
      posts.push(...(await retryUntilAvailable(() => schedulePosts(harness, wanted))))
    },
  }
}
