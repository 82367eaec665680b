import { brokenRule } from '../behaviour/limits.ts'
import { keepMedia, pull } from '../behaviour/media.ts'
import { badParameter, refuse } from '../graph/refusals.ts'
import type { Call } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { graphId } from '../state/ids.ts'
import type { Container, Profile } from '../state/rows.ts'

/** Fetches what a container shall hold; a picture's faults show at once, a video's while it is worked on. */
export async function fetchedMedia(
  call: Call,
  owner: Profile,
): Promise<Pick<Container, 'media' | 'readyAt' | 'problem'>> {
  const video = textOf(call, 'video_url')
  const url = video ?? textOf(call, 'image_url')
  if (!url) badParameter('The parameter image_url or video_url is required')
  const type = textOf(call, 'media_type')
  if (type !== undefined && !['IMAGE', 'VIDEO', 'REELS', 'STORIES'].includes(type)) {
    refuse({ code: 100, subcode: 2207023, message: 'The media type is unknown.', type: 'OAuthException' })
  }
  const bytes = await pull(url)
  if (!bytes) {
    refuse({
      code: 9004,
      subcode: 2207052,
      message: 'Only photo or video can be accepted as media type.',
      type: 'OAuthException',
      userMessage: 'The media could not be fetched from this address.',
    })
  }
  const alt = textOf(call, 'alt_text')
  const arrival = { network: 'Instagram', id: graphId(), profile: owner.id, bytes } as const
  const media = keepMedia(call.world, alt === undefined ? arrival : { ...arrival, alt })
  const isVideo = media.mime.startsWith('video/')
  const broken = isVideo === (video !== undefined) ? brokenRule('Instagram', media) : 'kind'
  if (broken && !isVideo) refusePicture(broken)
  const problem = broken ? `The video is refused because of its ${broken} (2207026)` : media.failed
  return { media: [media.id], readyAt: media.readyAt, ...(problem === undefined ? {} : { problem }) }
}

function refusePicture(broken: 'kind' | 'size' | 'aspect' | 'length'): never {
  const problems = {
    size: [36000, 2207004, 'The image is too large to download.'],
    kind: [36001, 2207005, 'The image format is not supported.'],
    aspect: [36003, 2207009, 'The aspect ratio is not supported.'],
    length: [352, 2207026, 'The video format is not supported.'],
  } as const
  const [code, subcode, message] = problems[broken]
  refuse({ code, subcode, message, type: 'OAuthException' })
}
