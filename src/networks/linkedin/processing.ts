import type { Actor } from '../connector/actor.ts'
import type { Audience, Draft, MediaRef, Progress, Step } from '../connector/draft.ts'
import { badInput } from '../connector/fault.ts'
import { type Calls, ifAllowed, read } from './calls.ts'
import { encoded, textAt } from './fields.ts'
import { manifest } from './manifest.ts'
import { readAudience, type TargetEntity } from './targeting.ts'

/** Whether LinkedIn lets us read what this profile has posted and uploaded. */
export const mayRead = ({ kind, secret }: Actor) => kind === 'page' || secret.scopes.includes('r_member_social')

type AssetState = 'WAITING_UPLOAD' | 'PROCESSING' | 'AVAILABLE' | 'PROCESSING_FAILED' | 'unreadable'

export async function assetState(calls: Calls, actor: Actor, urn: string): Promise<AssetState> {
  const kind = kindIn(urn)
  if (kind !== 'video' && !mayRead(actor)) return 'unreadable'
  const asset = await ifAllowed(read(calls, actor, `/rest/${kind}s/${encoded(urn)}`))
  return (textAt(asset, 'status') as AssetState | undefined) ?? 'unreadable'
}

/** When to look again, while LinkedIn still works on what was uploaded; nothing when the post can be made. */
export async function unfinished(
  calls: Calls,
  actor: Actor,
  assets: readonly string[],
  progress?: Progress,
): Promise<Step | undefined> {
  if (!assets.length || progress?.waited === true) return undefined
  const states = await Promise.all(assets.map((urn) => assetState(calls, actor, urn)))
  if (states.includes('PROCESSING_FAILED')) {
    throw badInput('LinkedIn', 'LinkedIn could not process the uploaded file; it may be damaged or too large.', 'media')
  }
  if (states.every((state) => state === 'AVAILABLE')) return undefined
  // Who cannot ask waits once; a post that comes too early is refused and tried again.
  const blind = states.every((state) => state === 'AVAILABLE' || state === 'unreadable')
  return stillProcessing(assets, blind)
}

export const stillProcessing = (assets: readonly string[], waited: boolean): Step => ({
  state: 'pending',
  progress: { stage: 'processing', assets: [...assets], ...(waited && { waited }) },
  checkAfterMs: assets.some((urn) => kindIn(urn) === 'video') ? 10_000 : 5_000,
})

const kindIn = (urn: string) => urn.split(':')[2] ?? 'image'

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
