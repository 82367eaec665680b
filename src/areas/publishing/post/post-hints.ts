import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId } from '#kernel/ids.ts'
import type { PostRow } from './post-row.ts'

/** A post that was moved is told of in both campaigns. */
export function hintPosts({ hint }: Context, posts: readonly Pick<PostRow, 'id' | 'campaignId'>[]) {
  for (const { id, campaignId } of posts) hint({ kind: 'post', id, parent: campaignId, scope: campaignId })
}

export const watchedPosts: Watched = {
  kind: 'post',
  isId: (id) => isId('post', id),
  async find(context, id) {
    const post = await context.db
      .selectFrom('posts')
      .select('campaignId')
      .where('accountId', '=', context.accountId)
      .where('id', '=', id)
      .where(withinTeams(context, 'posts.campaign_id'))
      .executeTakeFirst()
    return post && { parent: post.campaignId, scope: post.campaignId }
  },
}
