import type { Draft, MediaRef } from '../draft.ts'
import { badInput, unsupported } from '../fault.ts'
import { youtubeLimits } from './limits.ts'

/** What a draft becomes on YouTube. */
export interface Content {
  title: string
  description: string
  video: MediaRef
}

/** Refuses what YouTube would refuse, before anything is sent. */
export function contentOf(draft: Draft): Content {
  if (draft.link) throw unsupported('YouTube', 'YouTube shows no link previews; put the address into the description.')
  if (draft.audience) throw unsupported('YouTube', 'YouTube cannot show a video to a chosen audience only.')
  if (draft.reshareOf) throw unsupported('YouTube', 'YouTube cannot share a post again.')
  const description = descriptionOf(draft)
  return { title: titleOf(draft), description, video: videoOf(draft.media) }
}

/** The description as YouTube shows it back. */
export const shownText = (text: string) => text.replaceAll('\r\n', '\n').trim()

/** The title that was given, or else the first line of the text as far as it fits. */
export function titleOf({ title, text }: Draft): string {
  const given = title?.trim()
  if (!given) {
    const line = shownText(text).split('\n')[0] ?? ''
    const cut = shortened(line.replace(/[<>]/g, ''), maximumTitle)
    if (!cut) throw badInput('YouTube', 'A video on YouTube needs a title.', 'title')
    return cut
  }
  if (given.length > maximumTitle) {
    const sentence = `The title has ${given.length} characters; YouTube takes ${maximumTitle}.`
    throw badInput('YouTube', sentence, 'title')
  }
  if (/[<>]/.test(given)) throw badInput('YouTube', 'YouTube does not take < and > in a title.', 'title')
  return given
}

function descriptionOf({ text }: Draft): string {
  const description = shownText(text)
  const bytes = Buffer.byteLength(description)
  if (bytes > youtubeLimits.text.max) {
    const sentence = `The text takes ${bytes} bytes; a description on YouTube takes ${youtubeLimits.text.max}.`
    throw badInput('YouTube', sentence, 'text')
  }
  if (/[<>]/.test(description)) throw badInput('YouTube', 'YouTube does not take < and > in a description.', 'text')
  return description
}

function videoOf(media: readonly MediaRef[]): MediaRef {
  const [video, ...more] = media
  if (!video) throw unsupported('YouTube', 'YouTube takes no posts without a video.')
  const other = media.find(({ mime }) => !mime.startsWith('video/'))
  if (other) throw unsupported('YouTube', `YouTube takes videos only, and ${other.name ?? 'a file'} is not one.`)
  if (more.length) throw badInput('YouTube', 'A post on YouTube is exactly one video.', 'media')
  const { bytes, seconds } = youtubeLimits.videos.rule
  if (video.bytes < bytes.min) throw badInput('YouTube', 'The video is empty.', 'media')
  if (video.bytes > bytes.max) throw badInput('YouTube', 'The video is larger than 256 GiB.', 'media')
  if ((video.durationMs ?? 0) > seconds.max * 1000) {
    throw badInput('YouTube', 'The video is longer than the 12 hours YouTube takes.', 'media')
  }
  return video
}

/** Never half of a character. */
const shortened = (text: string, length: number) =>
  text.length <= length
    ? text.trim()
    : text
        .slice(0, length)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trim()

const maximumTitle = youtubeLimits.title.max
