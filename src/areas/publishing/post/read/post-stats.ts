import { type Figures, noFigures } from '#areas/figures/figure.ts'
import { isConnected, manifestOf } from '#networks/manifests.ts'
import type { CountedPost } from '../post-row.ts'

/** The wire says this where the network does not offer a number. */
const notOffered = -1

export function statsOf({ network, figures }: CountedPost) {
  const told = isConnected(network) ? manifestOf(network).tells : []
  const { clicks, converts, comments, likes } = { ...noFigures, ...figures }
  return {
    linkClicks: clicks,
    conversions: converts,
    comments,
    likes,
    shares: told.includes('shares') ? 0 : notOffered,
    impressionsAdded: told.includes('impressions') ? 0 : notOffered,
  }
}

/** Of one profile only our own counts are known apart. No network that posts can be made for tells the last three of a single post. */
export const statsOnProfile = (post: CountedPost, onProfile: Partial<Figures>) => {
  const { clicks, converts } = { ...noFigures, ...onProfile }
  return {
    ...statsOf(post),
    ...{ linkClicks: clicks, conversions: converts },
    mediaClicksAdded: notOffered,
    detailExpandsAdded: notOffered,
    userFollowsAdded: notOffered,
  }
}
