import { type Figures, noFigures } from '#areas/figures/figure.ts'
import { isConnected, manifestOf } from '#networks/manifests.ts'
import type { CountedPost } from '../post-row.ts'

/** The wire says this where the network does not offer a number. */
const notOffered = -1

/** What is counted here and what the network told when it was last asked. */
export function statsOf({ network, figures }: Pick<CountedPost, 'network' | 'figures'>) {
  const told = isConnected(network) ? manifestOf(network).tells : []
  const { clicks, converts, comments, likes, reshares, impressions } = { ...noFigures, ...figures }
  return {
    linkClicks: clicks,
    conversions: converts,
    comments,
    likes,
    shares: told.includes('shares') ? reshares : notOffered,
    impressionsAdded: told.includes('impressions') ? impressions : notOffered,
  }
}

/** Of one profile. No network that posts can be made for tells the last three of a single post. */
export const statsOnProfile = ({ network }: CountedPost, figures: Partial<Figures>) => ({
  ...statsOf({ network, figures }),
  mediaClicksAdded: notOffered,
  detailExpandsAdded: notOffered,
  userFollowsAdded: notOffered,
})
