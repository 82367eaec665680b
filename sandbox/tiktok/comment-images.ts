import { keepMedia, mediaOf } from '../behaviour/media.ts'
import type { Answer, Call } from '../http/call.ts'
import { numberOf, textOf } from '../http/fields.ts'
import { snowflake } from '../state/ids.ts'
import type { Media, Profile } from '../state/rows.ts'
import { business } from './access.ts'
import { businessAnswer, refuseBusiness } from './refusals.ts'

const takes = ['image/jpeg', 'image/png', 'image/webp']
const largest = 5_000_000
const smallest = 360

/** POST /business/comment/image/upload/: a picture for a comment that is written afterwards. */
export function uploadCommentImage(call: Call): Answer {
  const owner = business(call, 'comment.list.manage')
  const file = call.files.image_file
  if (!file) refuseBusiness(40002, 'image_file: Missing data for required field.')
  const kept = keepMedia(call.world, { network: 'TikTok', id: snowflake(), profile: owner.id, bytes: file.bytes })
  if (!takes.includes(kept.mime) || kept.bytes > largest) {
    refuseBusiness(40002, 'image_file takes JPG, WebP or PNG of at most 5 MB.')
  }
  const { width = smallest, height = smallest } = kept
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (short < smallest || short > 1080 || long > 1920) {
    refuseBusiness(40002, 'image_file takes 360 x 360 to 1080 x 1920 or 1920 x 1080 pixels.')
  }
  return businessAnswer({ image_uri: kept.id, width: kept.width ?? 0, height: kept.height ?? 0 })
}

/** The picture a comment names, which must come with its measures. */
export function imageIn(call: Call, owner: Profile): Media | undefined {
  const uri = textOf(call, 'image_uri')
  if (uri === undefined) return undefined
  const image = mediaOf(call.world, 'TikTok', uri)
  if (image?.profile !== owner.id) refuseBusiness(40002, 'image_uri is not known.')
  if (numberOf(call, 'image_width') === undefined || numberOf(call, 'image_height') === undefined) {
    refuseBusiness(40002, 'image_width and image_height are required with image_uri.')
  }
  return image
}

export const imageUrl = (call: Call, id: string) => `${call.origin}/tiktok/comment-images/${id}`
