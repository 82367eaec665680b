import { type Content, isVideo } from './content-parts.ts'
import { facebookCapabilities } from './facebook/capabilities.ts'
import { facebookLimits } from './facebook/limits.ts'
import { instagramCapabilities } from './instagram/capabilities.ts'
import { instagramLimits } from './instagram/limits.ts'
import type { Capabilities, Limits } from './limits.ts'
import { pageCapabilities } from './linkedin/capabilities.ts'
import { limits as linkedInLimits } from './linkedin/limits.ts'
import { shown } from './linkedin/little-text.ts'
import type { Network } from './network.ts'
import { standardApps } from './standard-apps.ts'
import { capabilities as tikTokCapabilities } from './tiktok/capabilities.ts'
import { photoText, limits as tikTokLimits } from './tiktok/limits.ts'
import { capabilitiesFor as xCapabilitiesFor } from './x/capabilities.ts'
import { postText } from './x/content.ts'
import { limitsFor as xLimitsFor } from './x/limits.ts'
import { youtubeCapabilities } from './youtube/capabilities.ts'
import { shownText } from './youtube/content.ts'
import { youtubeLimits } from './youtube/limits.ts'

/** What a network asks of words; functions stand only where it differs from others. */
export interface ContentRules {
  /** As people call it. */
  name: string
  limits: Limits
  capabilities: Pick<Capabilities, 'link' | 'directMessage'>
  /** What is counted of a post, where that is not the text as it was written. */
  postText?(content: Content): string
  /** The most a post's text may count, where that depends on what goes with it. */
  postMax?(content: Content): number
  /** The title that goes out; nothing where none does. */
  title?(content: Content): string
  needsTitle?: boolean
  commentText?(text: string): string
  refusedInPost?: Refused
  refusedInComment?: Refused
}

interface Refused {
  pattern: RegExp
  what: string
}

/** The same data that publishing goes by. */
export const contentRules: { readonly [network in Network]: ContentRules } = {
  Facebook: { name: 'Facebook', limits: facebookLimits, capabilities: facebookCapabilities },
  Instagram: {
    name: 'Instagram',
    limits: instagramLimits,
    // Which app it is changes nothing that is asked here.
    capabilities: instagramCapabilities({ clientId: '', clientSecret: '', ...standardApps.Instagram }),
  },
  LinkedIn: {
    name: 'LinkedIn',
    limits: linkedInLimits,
    capabilities: pageCapabilities,
    postText: ({ text }) => shown(text),
    commentText: shown,
  },
  Twitter: {
    name: 'X',
    limits: xLimitsFor('self-serve'),
    capabilities: xCapabilitiesFor('self-serve'),
    postText: withAddress,
  },
  YouTube: {
    name: 'YouTube',
    limits: youtubeLimits,
    capabilities: youtubeCapabilities,
    postText: ({ text }) => shownText(text),
    title: ({ title, text }) => title?.trim() || firstLine(text),
    needsTitle: true,
    refusedInPost: { pattern: /[<>]/, what: '< and >' },
  },
  TikTok: {
    name: 'TikTok',
    limits: tikTokLimits,
    capabilities: tikTokCapabilities,
    postMax: ({ media }) => (media.some(isVideo) ? tikTokLimits.text.max : photoText),
    // Videos have none.
    title: ({ title = '', media }) => (media.some(isVideo) ? '' : title),
    refusedInComment: { pattern: /https?:\/\//i, what: 'links' },
  },
}

function withAddress({ text, link }: Content): string {
  return postText({ text, media: [], link: link && { url: link.url, title: '', description: '', imageUrl: '' } })
}

/** What the connector makes a title of: it always fits. */
function firstLine(text: string): string {
  const [line = ''] = shownText(text).split('\n')
  return line.replace(/[<>]/g, '').slice(0, youtubeLimits.title.max).trim()
}
