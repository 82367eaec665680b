import { withFigures } from '#areas/figures/read-figures.ts'
import type { CountedPost } from '../post-row.ts'

/** What the wire says of a post beyond its row. */
export const shown = (post: CountedPost) => ({
  ...withFigures(post),
  messageStatus: 'default',
  totalCount: post.credentialIds.length,
  credentials: post.credentialIds.join(','),
})
