import type { Context } from '#kernel/context.ts'
import { postlogsOf } from '../../postlog/postlog.ts'
import type { CountedPost } from '../post-row.ts'
import { firstCommentsOf } from './first-comment.ts'
import { shown } from './post-view.ts'

/** Posts as the wire shows them, with what stands beside their rows: so many statements, however many posts. */
export async function withDetails(context: Context, posts: readonly CountedPost[], withPostlogs = false) {
  const comments = await firstCommentsOf(context, posts)
  const postlogs = withPostlogs
    ? await postlogsOf(
        context,
        posts.map(({ id }) => id),
      )
    : undefined
  return posts.map((post) => ({
    ...shown(post),
    firstComment: comments.get(post.id),
    postlogs: postlogs?.filter(({ postId }) => postId === post.id),
  }))
}

export async function detailsOf(context: Context, post: CountedPost, withPostlogs = false) {
  const [details] = await withDetails(context, [post], withPostlogs)
  return details as NonNullable<typeof details>
}
