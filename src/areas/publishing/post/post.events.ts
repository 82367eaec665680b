import { sql } from 'kysely'
import { sampleIds, sampleReferences } from '#areas/events/catalogue/sample-ids.ts'
import { emitAll } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { profileUrl } from '#networks/manifests.ts'
import { type PostRow, postView } from './post.ts'
import { PostOfEvent } from './post-shape.ts'

const toWire = wireForm(PostOfEvent)

type PostEvent = 'postCreated' | 'postModified' | 'postDeleted' | 'postSent'

/** Emits an event with the post and its profiles; `postSent` also has the URLs. */
export const announcePost = (context: Context, event: PostEvent, post: PostRow) => announcePosts(context, event, [post])

export async function announcePosts(context: Context, event: PostEvent, posts: readonly PostRow[]) {
  if (posts.length === 0) return
  const profiles = await profilesOf(context, posts)
  const postlogs = event === 'postSent' ? await postlogsOf(context, posts) : undefined
  const data = posts.map((post) => ({
    ...postView(post),
    profileIds: post.credentialIds,
    profiles: post.credentialIds.flatMap((id) => profiles.get(id) ?? []),
    ...(postlogs && { postlogs: postlogs.filter(({ postId }) => postId === post.id) }),
  }))
  await emitAll(context, event, data.map(toWire))
}

async function profilesOf({ db, accountId }: Context, posts: readonly PostRow[]) {
  const ids = [...new Set(posts.flatMap(({ credentialIds }) => credentialIds))]
  const rows = await db
    .selectFrom('credentials')
    .select(['id', 'displayName', 'network', 'kind', 'imageLink', 'networkAccountId', 'networkUsername'])
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .execute()
  const profiles = rows.map((row) => {
    const { id, displayName: name, network: type, imageLink: thumbnail } = row
    return { id, name, longName: `${name} (${type})`, type, thumbnail, url: profileUrl(row) }
  })
  return new Map(profiles.map((profile) => [profile.id, profile]))
}

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
