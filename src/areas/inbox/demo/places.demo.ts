import type { Context } from '#kernel/context.ts'

export interface DemoPost {
  id: string
  remoteId: string
  url: string
  text: string
}

const mostPosts = 12

/** Where demo items stand: of each network a profile that works, and what it sent. */
export async function placesOf(context: Context) {
  const { db, accountId } = context
  const credentials = await db
    .selectFrom('credentials')
    .select(['id', 'network'])
    .where('accountId', '=', accountId)
    .where('status', '=', 'valid')
    .where('kind', '<>', 'member')
    .where('boardOnly', '=', false)
    .where('deleted', 'is', null)
    .orderBy('created')
    .orderBy('id')
    .execute()
  const places = new Map<string, { credentialId: string; posts: DemoPost[] }>()
  for (const { id, network } of credentials)
    if (!places.has(network)) places.set(network, { credentialId: id, posts: await postsOf(context, id) })
  return places
}

const postsOf = ({ db, accountId }: Context, credentialId: string): Promise<DemoPost[]> =>
  db
    .selectFrom('postlogs')
    .innerJoin('messages', (join) =>
      join.onRef('messages.id', '=', 'postlogs.messageId').on('messages.accountId', '=', accountId),
    )
    .select(['postlogs.id', 'postlogs.remoteId', 'postlogs.remoteUrl as url', 'messages.message as text'])
    .where('postlogs.accountId', '=', accountId)
    .where('postlogs.credentialId', '=', credentialId)
    .where('postlogs.status', '=', 'success')
    .orderBy('postlogs.id', 'desc')
    .limit(mostPosts)
    .execute()
