import { shareRecount } from '#areas/advocacy/share/share.recount.ts'
import type { Recount } from '#areas/figures/figure.ts'
import { entryRecount, replyRecount } from '#areas/inbox/counters/inbox.recount.ts'
import { leadRecount } from '#areas/leads/lead/lead.recount.ts'
import { clickRecount, conversionRecount } from '#areas/links/click/click.recount.ts'
import { postlogRecount } from '#areas/publishing/postlog/postlog.recount.ts'

/** Every way to tell figures from what they follow from. */
export const recounts: readonly Recount[] = [
  clickRecount,
  conversionRecount,
  postlogRecount,
  shareRecount,
  entryRecount,
  replyRecount,
  leadRecount,
]
