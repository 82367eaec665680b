import type { Network } from '#networks/network.ts'
import type { PostRow } from './post-row.ts'

/** The wire says this where the network does not offer a number. */
const notOffered = -1

/** Which networks tell how often a post was shared, and how often it was seen on the way past. */
const shared: readonly Network[] = ['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok']
const seen: readonly Network[] = ['Facebook', 'Instagram', 'LinkedIn', 'Twitter']

export function statsOf({ network, clicks, converts, comments, likes }: PostRow) {
  const numberOn = (networks: readonly string[]) => (networks.includes(network) ? 0 : notOffered)
  return {
    linkClicks: clicks,
    conversions: converts,
    comments,
    likes,
    shares: numberOn(shared),
    impressionsAdded: numberOn(seen),
  }
}

/** Of one profile only our own counts are known apart. No network that posts can be made for tells the last three of a single post. */
export const statsOnProfile = (post: PostRow, { clicks, converts }: Pick<PostRow, 'clicks' | 'converts'>) => ({
  ...statsOf(post),
  ...{ linkClicks: clicks, conversions: converts },
  mediaClicksAdded: notOffered,
  detailExpandsAdded: notOffered,
  userFollowsAdded: notOffered,
})
