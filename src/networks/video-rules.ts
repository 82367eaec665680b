import { facebookLimits } from './facebook/limits.ts'
import { instagramLimits } from './instagram/limits.ts'
import type { VideoRule } from './limits.ts'
import { limits as linkedInLimits } from './linkedin/limits.ts'
import type { Network } from './network.ts'
import { limits as tikTokLimits } from './tiktok/limits.ts'
import { limitsFor as xLimitsFor } from './x/limits.ts'
import { youtubeLimits } from './youtube/limits.ts'

/** What each network asks of a video: the same numbers that publishing goes by. */
export const videoRules: { readonly [network in Network]: VideoRule } = {
  Facebook: facebookLimits.videos.rule,
  Instagram: instagramLimits.videos.rule,
  LinkedIn: linkedInLimits.videos.rule,
  Twitter: xLimitsFor('self-serve').videos.rule as VideoRule,
  YouTube: youtubeLimits.videos.rule,
  TikTok: tikTokLimits.videos.rule,
}
