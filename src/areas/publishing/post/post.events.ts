import { type Selectable, sql } from 'kysely'
import { emitAll, scopesOf } from '#areas/events/event.ts'
import { sampleIds, sampleReferences } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import type { Credentials } from '#kernel/database/tables.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { profileUrl } from '#networks/manifests.ts'
import { publishingEvents } from '../declarations.ts'
import { type PostRow, postView } from './post.ts'
import { PostOfEvent } from './post-shape.ts'

const toWire = wireForm(PostOfEvent)

type PostEvent = 'postCreated' | 'postModified' | 'postDeleted' | 'postSent'

/** Emits `postModified`. A post that was moved concerns the campaign it was in as well. */
export const announceChange = (context: Context, before: PostRow, after: PostRow) =>
  announce(context, 'postModified', [after], [before.campaignId])

export const announcePost = (context: Context, event: UnmovedEvent, post: PostRow) =>
  announcePosts(context, event, [post])

/** Emits an event for each post; `postSent` also has the URLs. */
export const announcePosts = (context: Context, event: UnmovedEvent, posts: readonly PostRow[]) =>
  announce(context, event, posts, [])

type UnmovedEvent = Exclude<PostEvent, 'postModified'>

async function announce(
  context: Context,
  event: PostEvent,
  posts: readonly PostRow[],
  formerCampaignIds: readonly string[],
) {
  if (posts.length === 0) return
  const { profiles, campaigns } = await partsOf(context, posts)
  const postlogs = event === 'postSent' ? await postlogsOf(context, posts) : undefined
  const events = posts.map((post) => ({
    // The message stays in its campaign when the post is moved.
    scopes: scopesOf(post.campaignId, campaigns.get(post.messageId), ...formerCampaignIds),
    data: toWire({
      ...postView(post),
      profileIds: post.credentialIds,
      profiles: post.credentialIds.flatMap((id) => profiles.get(id) ?? []),
      ...(postlogs && { postlogs: postlogs.filter(({ postId }) => postId === post.id) }),
    }),
  }))
  await emitAll(context, publishingEvents[event], events)
}

/** The profiles of posts, and the campaigns of their messages; one statement, because it runs for every post that is sent. */
async function partsOf({ db, accountId }: Context, posts: readonly PostRow[]) {
  const profileIds = [...new Set(posts.flatMap(({ credentialIds }) => credentialIds))]
  const messageIds = [...new Set(posts.map(({ messageId }) => messageId))]
  const { rows } = await sql<ProfileRow & { campaignId: string | null }>`
    select id, display_name, network, kind, image_link, network_account_id, network_username, null as campaign_id
    from credentials where account_id = ${accountId} and id = any (${profileIds})
    union all select id, '', '', '', '', '', '', campaign_id from messages where account_id = ${accountId} and id = any (${messageIds})`.execute(
    db,
  )
  const profiles = rows.map((row) => {
    const { id, displayName: name, network: type, imageLink: thumbnail } = row
    return { id, name, longName: `${name} (${type})`, type, thumbnail, url: profileUrl(row) }
  })
  return {
    profiles: new Map(profiles.map((profile) => [profile.id, profile])),
    campaigns: new Map(rows.map(({ id, campaignId }) => [id, campaignId])),
  }
}

type ProfileRow = Pick<
  Selectable<Credentials>,
  'id' | 'displayName' | 'network' | 'kind' | 'imageLink' | 'networkAccountId' | 'networkUsername'
>

async function postlogsOf({ db, accountId }: Context, posts: readonly PostRow[]) {
  const ids = posts.map(({ id }) => id)
  const rows = await db
    .selectFrom('postlogs')
    .select(['id', 'postId', 'remoteUrl', 'messageId', 'credentialId'])
    .where('accountId', '=', accountId)
    .where(sql<boolean>`post_id = any (${ids})`)
    .where('status', '=', 'success')
    .orderBy('id')
    .execute()
  return rows.map(({ remoteUrl: postUrl, credentialId: profileId, ...row }) => ({ ...row, postUrl, profileId }))
}

const profile = {
  Id: sampleIds.profile,
  Name: 'Example Outdoors',
  LongName: 'Example Outdoors (LinkedIn)',
  Type: 'LinkedIn',
  Thumbnail: 'https://www.example.com/images/example-outdoors.png',
  URL: 'https://www.example.com/company/example-outdoors',
}
const postlog = {
  Id: sampleIds.postlog,
  PostURL: `${profile.URL}/posts/7301`,
  MessageId: sampleIds.message,
  ProfileId: sampleIds.profile,
}
const planned = sampleOf(PostOfEvent, {
  ...sampleReferences,
  Id: sampleIds.post,
  StartDateTime: '2026-03-03 08:00:00',
  TotalCount: 1,
  ContentSource: 'User',
  MessageStatus: 'default',
  Flag: 'discussion',
  Credentials: profile.Id,
  ProfileIds: [profile.Id],
  Profiles: [profile],
})
const after = (known: Partial<typeof planned>) => sampleOf(PostOfEvent, { ...planned, ...known })

export const postSamples = {
  postCreated: planned,
  postModified: after({ Modified: '2026-03-02 14:05:31', StartDateTime: '2026-03-04 08:00:00' }),
  postDeleted: planned,
  postSent: after({ Modified: '2026-03-03 08:00:02', Status: 'complete', Postlogs: [postlog] }),
} satisfies { [event in PostEvent]: object }
