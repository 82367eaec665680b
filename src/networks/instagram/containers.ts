import type { Actor } from '../connector/actor.ts'
import { type Draft, isVideo, type MediaRef } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { textAt } from '../graph/answer.ts'
import { ask, type GraphCall, needed } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { isNever, meaningOf } from '../graph/refusals.ts'

/** What holds a picture or a video until it is published; several make an album. */
export interface Container {
  state: 'ready' | 'working' | 'failed' | 'expired' | 'gone' | 'published'
  /** What Instagram says about it. */
  words: string
}

export async function createContainer(graph: Graph, actor: Actor, form: GraphCall['form']): Promise<string> {
  const call: GraphCall = { method: 'POST', path: `${actor.remoteId}/media`, ...(form && { form }) }
  return needed(graph, call, await ask(graph, actor, call), 'id')
}

/** Instagram fetches the file from its public address; a video that stands alone is a reel. */
export function itemForm(media: MediaRef, draft: Draft): GraphCall['form'] {
  const alone = draft.media.length === 1
  const place = alone ? { caption: draft.text || undefined } : { is_carousel_item: 'true' }
  if (!isVideo(media)) return { image_url: media.publicUrl, alt_text: media.alt, ...place }
  const kind = alone ? { media_type: 'REELS', share_to_feed: 'true' } : { media_type: 'VIDEO' }
  return { ...kind, video_url: media.publicUrl, ...place }
}

export const albumForm = (items: string[], { text }: Draft): GraphCall['form'] => ({
  media_type: 'CAROUSEL',
  children: items.join(','),
  caption: text || undefined,
})

export async function readContainer(graph: Graph, actor: Actor, id: string): Promise<Container> {
  try {
    const answer = await ask(graph, actor, { method: 'GET', path: id, query: { fields: 'status_code,status' } })
    const state = states[textAt(answer, 'status_code') ?? ''] ?? 'working'
    return { state, words: textAt(answer, 'status') ?? '' }
  } catch (error) {
    if (isNever(error, 'gone')) return { state: 'gone', words: '' }
    throw error
  }
}

/** Throws when Instagram will never take what is in a container; the reason stands as a number in its sentence. */
export function refuseContent(graph: Graph, { words }: Container) {
  const subcode = /\b2207\d{3}\b/.exec(words)?.[0]
  const meaning = subcode === undefined ? undefined : meaningOf(graph, undefined, Number(subcode))
  if (meaning?.kind === 'permanent')
    throw new NetworkError('Instagram', meaning, `Instagram: ${words.replace(/^Error:\s*/, '')}`, { subcode })
}

const states: { readonly [code: string]: Container['state'] } = {
  FINISHED: 'ready',
  IN_PROGRESS: 'working',
  ERROR: 'failed',
  EXPIRED: 'expired',
  PUBLISHED: 'published',
}
