import type { PostRow } from './post-row.ts'

/** What the wire says of a post beyond its row. */
export const shown = (post: PostRow) => ({
  ...post,
  messageStatus: 'default',
  totalCount: post.credentialIds.length,
  credentials: post.credentialIds.join(','),
})
