import type { LinksByUrl, WantedLinks } from '#areas/links/link/link-making.ts'
import { linksWithin } from '#areas/links/link/link-room.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { createBatcher } from '#kernel/jobs/batcher.ts'
import type { Shorten } from './short-links.ts'

/** Links of what is about to be sent, made unless they are there. */
export type MakeLinks = (accountId: string) => Shorten

/** Makes links of many sends together; to be opened once for posts and once for shares, whose links are told apart in another way. */
export function openLinkBatches(installation: ProfileInstallation): MakeLinks {
  const link = createBatcher<WantedLinks, LinksByUrl>({
    maxSize: 64,
    maxDelay: 10,
    run: (accountId, wanted) => linksWithin(installation, accountId, installation.clock.now(), wanted),
  })
  return (accountId) => (wanted) => link(accountId, wanted)
}
