import type { Draft, MediaRef } from '../draft.ts'
import { badInput, unsupported } from '../fault.ts'
import type { Limits, TextRule } from '../limits.ts'
import { textLength } from '../text-length.ts'

/** X has no cards of our making: a link is an address in the text. */
export function postText({ text, link }: Draft): string {
  if (!link || text.includes(link.url)) return text
  return text.trim() === '' ? link.url : `${text}\n${link.url}`
}

/** Refuses what X would refuse, before anything is sent. */
export function checkDraft(draft: Draft, limits: Limits) {
  if (draft.reshareOf !== undefined) throw unsupported('Twitter', 'Posts cannot be shared again on X.')
  if (Object.values(draft.audience ?? {}).some((values) => values.length > 0)) {
    throw unsupported('Twitter', 'On X a post cannot be shown to a part of the audience only.')
  }
  checkContent(postText(draft), draft.media, limits.text, limits)
}

export function checkContent(text: string, media: readonly MediaRef[], rule: TextRule, limits: Limits) {
  if (text.trim() === '' && media.length === 0)
    throw badInput('Twitter', 'X needs a text, an image or a video.', 'text')
  const length = textLength(text, rule.unit)
  if (length > rule.max) {
    throw badInput('Twitter', `The text counts ${length} characters on X; ${rule.max} is the most.`, 'text')
  }
  checkMedia(media, limits)
}

export type MediaKind = 'image' | 'gif' | 'video'

export function kindOf({ mime }: MediaRef): MediaKind {
  if (mime === 'image/gif') return 'gif'
  return mime.startsWith('video/') ? 'video' : 'image'
}

function checkMedia(media: readonly MediaRef[], limits: Limits) {
  for (const file of media) checkFile(file, limits)
  const alone = media.some((file) => kindOf(file) !== 'image')
  if (media.length > (alone ? 1 : limits.images.max)) {
    const sentence = `X takes up to ${limits.images.max} images, or one GIF, or one video in a post.`
    throw badInput('Twitter', sentence, 'media')
  }
}

function checkFile(file: MediaRef, { images, videos, altText = Number.POSITIVE_INFINITY }: Limits) {
  const kind = kindOf(file)
  const mimes = (kind === 'video' ? videos.rule?.mimes : images.rule?.mimes) ?? []
  if (!mimes.includes(file.mime)) throw unsupported('Twitter', `X does not take files of the type ${file.mime}.`)
  const most = {
    image: images.rule?.maxBytes,
    gif: images.rule?.gif?.maxBytes,
    video: videos.rule?.bytes.max,
  }[kind]
  if (most !== undefined && file.bytes > most) {
    throw badInput('Twitter', `The ${names[kind]} is too large for X; ${most / 1_000_000} MB is the most.`, 'media')
  }
  checkLength(file, videos.rule?.seconds ?? {})
  if ((file.alt?.length ?? 0) > altText) {
    throw badInput('Twitter', `The description of an image may have ${altText} characters on X.`, 'media')
  }
}

function checkLength(
  { durationMs }: MediaRef,
  { min = 0, max = Number.POSITIVE_INFINITY }: { min?: number; max?: number },
) {
  if (durationMs === undefined) return
  const seconds = durationMs / 1000
  if (seconds >= min && seconds <= max) return
  throw badInput('Twitter', `The video is ${seconds} s long; X takes ${min} to ${max} s.`, 'media')
}

const names: { [kind in MediaKind]: string } = { image: 'image', gif: 'GIF', video: 'video' }
