import type { Draft, MediaRef } from '../draft.ts'
import { badInput, unsupported } from '../fault.ts'
import { commentImage, limits, photoText } from './limits.ts'

/** Refuses what TikTok would refuse, before anything is sent; gives the kind of post it becomes. */
export function judgeDraft(draft: Draft): 'video' | 'photo' {
  if (draft.link) throw unsupported('TikTok', 'TikTok posts have no link previews: attach a video or photos instead.')
  if (draft.audience) throw unsupported('TikTok', 'TikTok posts cannot be addressed to a selected audience.')
  if (draft.reshareOf !== undefined) throw unsupported('TikTok', 'TikTok posts cannot be shared again from here.')
  const videos = draft.media.filter(({ mime }) => mime.startsWith('video/'))
  if (draft.media.length === 0) throw unsupported('TikTok', 'A TikTok post needs a video or at least one photo.')
  if (videos.length > 0 && draft.media.length > 1) {
    throw badInput('TikTok', 'A TikTok post takes one video, or photos, but not both.', 'media')
  }
  const [video] = videos
  if (video) judgeVideo(video)
  else judgePhotos(draft.media)
  judgeLength(draft.text, video ? limits.text.max : photoText, 'text')
  if (!video) judgeLength(draft.title ?? '', limits.title.max, 'title')
  return video ? 'video' : 'photo'
}

export function judgeComment(text: string, media: readonly MediaRef[]): void {
  const [image, ...more] = media
  if (more.length > 0) throw badInput('TikTok', 'A TikTok comment takes one picture only.', 'media')
  if (image && !isOneOf(commentImage.mimes, image.mime)) {
    throw badInput('TikTok', 'The picture of a TikTok comment must be JPEG, PNG or WebP.', 'media')
  }
  if (image) judgeSize(image, commentImage.maxBytes)
  if (text === '' && !image) throw badInput('TikTok', 'A TikTok comment needs a text or a picture.', 'text')
  judgeLength(text, limits.comment.max, 'text')
  if (/https?:\/\//i.test(text)) throw badInput('TikTok', 'TikTok comments cannot contain links.', 'text')
}

function judgeVideo(video: MediaRef): void {
  const { mimes, bytes, seconds } = limits.videos.rule
  if (!isOneOf(mimes, video.mime)) throw badInput('TikTok', 'A TikTok video must be MP4, MOV or WebM.', 'media')
  judgeSize(video, bytes.max)
  const length = (video.durationMs ?? seconds.min * 1000) / 1000
  if (length < seconds.min || length > seconds.max) {
    const sentence = `A TikTok video is ${seconds.min} to ${seconds.max} seconds long; this one has ${Math.round(length)}.`
    throw badInput('TikTok', sentence, 'media')
  }
}

function judgePhotos(photos: readonly MediaRef[]): void {
  const { max, rule } = limits.images
  if (photos.length > max) {
    throw badInput('TikTok', `A TikTok post takes at most ${max} photos; this one has ${photos.length}.`, 'media')
  }
  for (const photo of photos) {
    if (!isOneOf(rule.mimes, photo.mime)) {
      throw badInput('TikTok', `A TikTok photo must be JPEG or WebP; ${photo.name ?? 'this file'} is not.`, 'media')
    }
    judgeSize(photo, rule.maxBytes)
  }
}

function judgeSize({ bytes, name = 'The file' }: MediaRef, max: number): void {
  if (bytes > max) throw badInput('TikTok', `${name} is larger than the ${max / 1_000_000} MB TikTok takes.`, 'media')
}

function judgeLength(text: string, max: number, field: string): void {
  if (text.length <= max) return
  throw badInput('TikTok', `The ${field} has ${text.length} characters; TikTok takes ${max}.`, field)
}

const isOneOf = (mimes: readonly string[], mime: string) => mimes.includes(mime)
