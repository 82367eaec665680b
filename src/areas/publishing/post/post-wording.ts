import type { Part } from '#areas/approval/approvable.ts'
import type { Context } from '#kernel/context.ts'
import { messageWording, present } from '../message/message-wording.ts'

/** What a post says and where it goes, part by part. When it goes out is no part of it: another time needs no new approval. */
export async function postWording(context: Context, id: string): Promise<Part[]> {
  const { db, accountId } = context
  const post = await db
    .selectFrom('posts')
    .select(['messageId', 'credentialIds', 'targetingPresetId'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!post) return []
  const profiles = await db
    .selectFrom('credentials')
    .select('displayName')
    .where('accountId', '=', accountId)
    .where('id', 'in', post.credentialIds)
    .orderBy('id')
    .execute()
  const comment = await db
    .selectFrom('firstComments')
    .leftJoin('media', (join) =>
      join.on('media.accountId', '=', accountId).onRef('media.id', '=', 'firstComments.mediaId'),
    )
    .select(['firstComments.text', 'media.name'])
    .where('firstComments.accountId', '=', accountId)
    .where('firstComments.postId', '=', id)
    .executeTakeFirst()
  const preset = post.targetingPresetId && (await presetName(context, post.targetingPresetId))
  return [
    ...(await messageWording(context, post.messageId)),
    ...present([
      { name: 'First comment', text: [comment?.text, comment?.name].filter(Boolean).join('\n') },
      { name: 'Profiles', text: profiles.map(({ displayName }) => displayName).join('\n') },
      { name: 'Audience', text: preset ?? '' },
    ]),
  ]
}

const presetName = async ({ db, accountId }: Context, id: string) =>
  (
    await db
      .selectFrom('targetingPresets')
      .select('name')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
  )?.name
