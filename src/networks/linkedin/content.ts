import type { Audience, Draft, MediaRef } from '../connector/draft.ts'
import { badInput } from '../connector/fault.ts'
import { manifest } from './manifest.ts'
import { readAudience, type TargetEntity } from './targeting.ts'

export type AssetKind = 'image' | 'video' | 'document'

/** What LinkedIn calls a file that it takes. */
export function kindOf({ mime }: Pick<MediaRef, 'mime'>): AssetKind {
  if (mime.startsWith('video/')) return 'video'
  return mime.startsWith('image/') ? 'image' : 'document'
}

/** The audience as a post names it; nothing when it excludes nobody. */
export function targetOf(audience: Audience): TargetEntity | undefined {
  const { target, problem } = readAudience(audience)
  if (problem) throw badInput('LinkedIn', problem.sentence, problem.field)
  return target
}

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
      ...(named && { title: named.slice(0, manifest.limits.title?.max) }),
      ...(first.alt && { altText: first.alt }),
    },
  }
}
