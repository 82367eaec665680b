import type { Actor } from '../connector/actor.ts'
import {
  type Checkpoint,
  type Draft,
  isVideo,
  type MediaRef,
  type Progress,
  type Receipt,
  type Step,
} from '../connector/draft.ts'
import { badInput, NetworkError } from '../connector/fault.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import { ask, type GraphCall, isNever, meaningOf, needed } from '../graph/calls.ts'
import { type Graph, listAt, numberAt, textAt, timeAt } from '../graph/graph.ts'
import { alreadyPublished, lostContainer, notFetched, notReady } from './meanings.ts'

/** The containers made so far, and how often they had to be made anew. */
interface Work {
  items: string[]
  album?: string
  tries: number
}

export async function publish(
  graph: Graph,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  refuseUnfitPost('Instagram', draft)
  const work = workIn(progress)
  try {
    const container = await prepare(graph, actor, draft, work, save)
    if (container === undefined) return atWork(work, draft)
    await save({ stage: 'committing', ...work, container })
    const call: GraphCall = {
      method: 'POST',
      path: `${actor.remoteId}/media_publish`,
      form: { creation_id: container },
      irreversible: true,
    }
    const remoteId = needed(graph, call, await ask(graph, actor, call), 'id')
    return { state: 'done', ...(await receiptOf(graph, actor, remoteId)) }
  } catch (error) {
    if (hasSubcode(error, [notReady])) return atWork(work, draft)
    if (error === lost || hasSubcode(error, lostContainer)) return startOver(work)
    if (hasSubcode(error, [alreadyPublished])) throw perhapsPublished()
    if (hasSubcode(error, notFetched)) await countTry(work, save, error as NetworkError)
    throw aboutHashtags(error, draft)
  }
}

/** Makes what is missing; the container to publish, or nothing while Instagram is at work. */
async function prepare(graph: Graph, actor: Actor, draft: Draft, work: Work, save: Checkpoint) {
  for (const media of draft.media.slice(work.items.length)) {
    work.items.push(await createContainer(graph, actor, itemForm(media, draft)))
    await save({ stage: 'uploading', ...work })
  }
  if (work.items.length === 1) return readyOf(graph, actor, work.items)
  if (work.album === undefined) {
    if ((await readyOf(graph, actor, work.items)) === undefined) return undefined
    work.album = await createContainer(graph, actor, albumForm(work.items, draft))
    await save({ stage: 'uploading', ...work })
  }
  return readyOf(graph, actor, [work.album])
}

/** The first of them when all are ready. */
async function readyOf(graph: Graph, actor: Actor, ids: string[]): Promise<string | undefined> {
  const containers = await Promise.all(ids.map((id) => readContainer(graph, actor, id)))
  for (const container of containers) refuseContent(graph, container)
  const states = containers.map(({ state }) => state)
  if (states.includes('published')) throw perhapsPublished()
  if (states.some((state) => ['failed', 'expired', 'gone'].includes(state))) throw lost
  return states.every((state) => state === 'ready') ? ids[0] : undefined
}

const perhapsPublished = () =>
  new NetworkError(
    'Instagram',
    { kind: 'unknownOutcome' },
    'Instagram: this post may have been published already; search for it first.',
  )

const lost = new Error('A container is gone.')

const atWork = (work: Work, { media }: Draft): Step => ({
  state: 'pending',
  progress: { stage: 'processing', ...work },
  checkAfterMs: media.some(isVideo) ? 30_000 : 5_000,
})

/** Nothing was published: new containers are made, but not for ever. */
function startOver({ tries }: Work): Step {
  if (tries + 1 >= mostTries)
    throw badInput('Instagram', 'Instagram could not process the pictures or videos.', 'media')
  return { state: 'pending', progress: { stage: 'uploading', items: [], tries: tries + 1 }, checkAfterMs: 30_000 }
}

async function countTry(work: Work, save: Checkpoint, error: NetworkError) {
  work.tries += 1
  if (work.tries >= mostTries) throw badInput('Instagram', error.message, 'media')
  await save({ stage: 'uploading', ...work })
}

/** Since December 2025 Instagram brings its ceiling down from 30 to 5, account by account: only its refusal tells where it applies. */
function aboutHashtags(error: unknown, { text }: Draft): unknown {
  const count = text.match(/#[\p{L}\p{N}_]/gu)?.length ?? 0
  if (count <= newCeiling || !(error instanceof NetworkError) || !isNever(error, 'input')) return error
  if (error.fault.kind === 'permanent' && error.fault.field === 'media') return error
  const sentence = `The text has ${count} hashtags; Instagram allows ${newCeiling} on many accounts.`
  const fault = { kind: 'permanent', why: 'input', field: 'text' } as const
  return new NetworkError('Instagram', fault, `${error.message} ${sentence}`, error.remote, error)
}

const newCeiling = 5

const mostTries = 3

const hasSubcode = (error: unknown, subcodes: readonly number[]) =>
  error instanceof NetworkError && subcodes.includes(Number(error.remote.subcode))

function workIn(progress?: Progress): Work {
  const album = textAt(progress, 'album')
  const items = listAt(progress, 'items').map(String)
  return { items, tries: numberAt(progress, 'tries') ?? 0, ...(album !== undefined && { album }) }
}

/** What holds a picture or a video until it is published; several make an album. */
export interface Container {
  state: 'ready' | 'working' | 'failed' | 'expired' | 'gone' | 'published'
  /** What Instagram says about it. */
  words: string
}

async function createContainer(graph: Graph, actor: Actor, form: GraphCall['form']): Promise<string> {
  const call: GraphCall = { method: 'POST', path: `${actor.remoteId}/media`, ...(form && { form }) }
  return needed(graph, call, await ask(graph, actor, call), 'id')
}

/** Instagram fetches the file from its public address; a video that stands alone is a reel. */
function itemForm(media: MediaRef, draft: Draft): GraphCall['form'] {
  const alone = draft.media.length === 1
  const place = alone ? { caption: draft.text || undefined } : { is_carousel_item: 'true' }
  if (!isVideo(media)) return { image_url: media.publicUrl, alt_text: media.alt, ...place }
  const kind = alone ? { media_type: 'REELS', share_to_feed: 'true' } : { media_type: 'VIDEO' }
  return { ...kind, video_url: media.publicUrl, ...place }
}

const albumForm = (items: string[], { text }: Draft): GraphCall['form'] => ({
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
function refuseContent(graph: Graph, { words }: Container) {
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

/** Where a new post can be seen; it is published also when Instagram does not say. */
async function receiptOf(graph: Graph, actor: Actor, remoteId: string): Promise<Receipt> {
  try {
    const answer = await ask(graph, actor, { method: 'GET', path: remoteId, query: { fields: 'permalink,timestamp' } })
    const at = timeAt(answer, 'timestamp') ?? graph.installation.clock.now()
    return { remoteId, remoteUrl: textAt(answer, 'permalink'), at }
  } catch (error) {
    if (error instanceof NetworkError) return { remoteId, at: graph.installation.clock.now() }
    throw error
  }
}
