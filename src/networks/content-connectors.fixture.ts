import type { Actor } from './actor.ts'
import { type Content, type ContentMedia, isImage } from './content-parts.ts'
import type { Draft, MediaRef } from './draft.ts'
import { facebookLimits } from './facebook/limits.ts'
import { NetworkError } from './fault.ts'
import { refuseUnfit } from './graph/content.ts'
import { instagramLimits } from './instagram/limits.ts'
import type { ImageRule } from './limits.ts'
import { checkDraft as checkForLinkedIn } from './linkedin/content.ts'
import { limits as linkedInLimits } from './linkedin/limits.ts'
import type { Network } from './network.ts'
import { judgeDraft } from './tiktok/content.ts'
import { limits as tikTokLimits } from './tiktok/limits.ts'
import { checkDraft as checkForX } from './x/content.ts'
import { limitsFor } from './x/limits.ts'
import { contentOf } from './youtube/content.ts'

/** Whether the connector would begin to publish it, after the service has changed the pictures that do not fit. */
export function isTakenByConnector(network: Network, { text, title, link, media }: Content): boolean {
  const draft: Draft = {
    text,
    title,
    link: link && { ...link, title: 'Robots', description: 'They dance', imageUrl: 'https://acme.example/robots.jpg' },
    media: media.map((file) => sentFile(network, file)),
  }
  try {
    checks[network](draft)
    return true
  } catch (error) {
    if (error instanceof NetworkError) return false
    throw error
  }
}

const xLimits = limitsFor('self-serve')
const secret = { accessToken: '', scopes: [] }
const page: Actor = { network: 'LinkedIn', kind: 'page', remoteId: '1', username: 'acme', secret }

const checks: { [network in Network]: (draft: Draft) => unknown } = {
  Facebook: (draft) => refuseUnfit('Facebook', facebookLimits, draft),
  // Link attachments it refuses elsewhere.
  Instagram: (draft) => refuseUnfit('Instagram', instagramLimits, draft),
  LinkedIn: (draft) => checkForLinkedIn(page, draft),
  Twitter: (draft) => checkForX(draft, xLimits),
  YouTube: contentOf,
  TikTok: judgeDraft,
}

const imageRules: { [network in Network]?: ImageRule | undefined } = {
  Facebook: facebookLimits.images.rule,
  Instagram: instagramLimits.images.rule,
  LinkedIn: linkedInLimits.images.rule,
  Twitter: xLimits.images.rule,
  TikTok: tikTokLimits.images.rule,
}

function sentFile(network: Network, file: ContentMedia): MediaRef {
  const { mime, bytes, width, height, seconds, frames, name } = file
  const durationMs = seconds === undefined ? undefined : seconds * 1000
  const sent = { id: 'a', mime, bytes, name, width, height, durationMs, publicUrl: 'https://acme.example/a', open }
  const rule = imageRules[network]
  if (!isImage(file) || !rule || (frames ?? 1) > 1) return sent
  const fits = rule.mimes.includes(mime) && bytes <= rule.maxBytes
  return fits ? sent : { ...sent, mime: 'image/jpeg', bytes: rule.maxBytes }
}

async function* open() {}
