import { mediaOf } from '../behaviour/media.ts'
import type { Call } from '../http/call.ts'
import { listOf, objectOf, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import type { Media } from '../state/rows.ts'
import { badField } from './refusals.ts'
import { stateOf } from './uploads.ts'

/** The pictures, the video or the document a post's content names, checked and given their titles. */
export function attachedMedia(call: Call, content: object): Media[] {
  const single = objectOf(content, 'media')
  const several = objectOf(content, 'multiImage')
  if (single) return [attached(call, single, '/content/media/id')]
  if (!several) return []
  const images = listOf(several, 'images')
  if (images.length < 2 || images.length > limits.LinkedIn.images) {
    badField('/content/multiImage/images', 'INVALID_VALUE', `multiImage takes 2 to ${limits.LinkedIn.images} images`)
  }
  return images.map((image, index) => attached(call, image as object, `/content/multiImage/images/${index}/id`))
}

function attached(call: Call, given: object, path: string): Media {
  const media = mediaOf(call.world, 'LinkedIn', textOf(given, 'id') ?? '')
  if (!media) badField(path, 'INVALID_URN', `The media ${textOf(given, 'id')} does not exist`, 400)
  const state = stateOf(call, media)
  if (state === 'PROCESSING') badField(path, 'MEDIA_ASSET_PROCESSING', 'The media asset is still being processed', 400)
  if (state === 'PROCESSING_FAILED')
    badField(path, 'MEDIA_ASSET_PROCESSING_FAILED', media.failed ?? 'Processing failed', 400)
  const alt = textOf(given, 'altText')
  const title = textOf(given, 'title')
  return call.world.media.change(media, { ...(alt ? { alt } : {}), ...(title ? { title } : {}) })
}
