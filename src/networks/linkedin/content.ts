import type { Actor } from '../actor.ts'
import type { Draft, MediaRef } from '../draft.ts'
import { badInput, unsupported } from '../fault.ts'
import { limits } from './limits.ts'
import { shown } from './little-text.ts'
import { targetOf } from './targeting.ts'

export type AssetKind = 'image' | 'video' | 'document'

export function kindOf({ mime }: Pick<MediaRef, 'mime'>): AssetKind | undefined {
  if (limits.images.rule.mimes.includes(mime)) return 'image'
  if (limits.videos.rule.mimes.includes(mime)) return 'video'
  return limits.document.mimes.includes(mime) ? 'document' : undefined
}

/** Refuses what LinkedIn would refuse, before anything is sent. */
export function checkDraft(actor: Actor, { text, media, link, audience, reshareOf }: Draft) {
  const length = shown(text).length
  if (length > limits.text.max) throw tooLong('text of a post', length, limits.text.max, 'text')
  if (link && media.length) throw badInput('LinkedIn', 'A LinkedIn post carries either a link or media.', 'media')
  if (reshareOf !== undefined && (link || media.length)) {
    throw badInput('LinkedIn', 'A shared post carries neither a link nor media of its own.', 'media')
  }
  if (!text.trim() && !media.length && !link && reshareOf === undefined) {
    throw badInput('LinkedIn', 'A LinkedIn post needs a text, a link or media.', 'text')
  }
  if (audience && targetOf(audience) && actor.kind !== 'page') {
    throw unsupported('LinkedIn', 'Only company pages can choose on LinkedIn who sees a post.')
  }
  checkMedia(media)
}

function checkMedia(media: readonly MediaRef[]) {
  for (const one of media) checkFile(one)
  const images = media.filter((one) => kindOf(one) === 'image').length
  if (images > limits.images.max) {
    throw badInput(
      'LinkedIn',
      `A LinkedIn post carries up to ${limits.images.max} images; these are ${images}.`,
      'media',
    )
  }
  if (media.length > 1 && images < media.length) {
    throw badInput('LinkedIn', 'A LinkedIn post carries several images, or one video, or one PDF.', 'media')
  }
}

export function checkFile(media: MediaRef) {
  const kind = kindOf(media)
  if (!kind) throw unsupported('LinkedIn', `LinkedIn takes JPEG, PNG, GIF, MP4 and PDF files, not ${media.mime}.`)
  const { min = 0, max } = sizes[kind]
  if (media.bytes < min || media.bytes > max) {
    const bounds = min ? `from ${megabytes(min)} to ${megabytes(max)}` : `up to ${megabytes(max)}`
    const sentence = `LinkedIn takes a file of this kind ${bounds}; this one has ${megabytes(media.bytes)}.`
    throw badInput('LinkedIn', sentence, 'media')
  }
  const seconds = media.durationMs === undefined ? undefined : media.durationMs / 1000
  const { min: shortest, max: longest } = limits.videos.rule.seconds
  if (kind === 'video' && seconds !== undefined && (seconds < shortest || seconds > longest)) {
    const sentence = `LinkedIn takes videos of ${shortest} to ${longest} seconds; this one has ${Math.round(seconds)}.`
    throw badInput('LinkedIn', sentence, 'media')
  }
  const alt = media.alt?.length ?? 0
  if (alt > limits.altText) throw tooLong('description of an image', alt, limits.altText, 'media')
}

export const tooLong = (what: string, length: number, max: number, field: string) =>
  badInput('LinkedIn', `The ${what} may have ${max} characters on LinkedIn; this one has ${length}.`, field)

/** The `content` of a post, made from what was uploaded for it, in the draft's order. */
export function contentOf({ media, link, title }: Draft, assets: readonly string[]): object | undefined {
  if (link) {
    const { url: source, title, description } = link
    return { article: { source, title, description, ...(assets[0] && { thumbnail: assets[0] }) } }
  }
  const [first] = media
  if (!first) return undefined
  if (media.length > 1) {
    return {
      multiImage: { images: media.map(({ alt }, index) => ({ id: assets[index], ...(alt && { altText: alt }) })) },
    }
  }
  const kind = kindOf(first)
  const named = kind === 'document' ? (first.name ?? title ?? 'Document') : kind === 'video' ? title : undefined
  return {
    media: {
      id: assets[0],
      ...(named && { title: named.slice(0, limits.title.max) }),
      ...(first.alt && { altText: first.alt }),
    },
  }
}

const sizes: { readonly [kind in AssetKind]: { min?: number; max: number } } = {
  image: { max: limits.images.rule.maxBytes },
  video: limits.videos.rule.bytes,
  document: { max: limits.document.maxBytes },
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1000) / 1000} MB`
