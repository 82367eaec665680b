import { type Actor, badInput, NetworkError } from '../connector/connector.ts'
import {
  type Checkpoint,
  type Draft,
  type Found,
  isVideo,
  type MediaRef,
  type Progress,
  type Receipt,
  type Step,
} from '../connector/draft.ts'
import { rejectInvalidPost } from '../content/draft-check.ts'
import { type GraphCall, isPermanentError, meaningOf, request, requiredField } from '../graph/client.ts'
import {
  type ErrorMeaningRow,
  type Graph,
  graphErrors,
  hasText,
  isSince,
  listAt,
  numberAt,
  permanent,
  retryable,
  textAt,
  throttle,
  timeAt,
} from '../graph/graph.ts'
import type { Json } from '../http/json.ts'

/** Containers created so far, and how often they had to be recreated. */
interface ContainerProgress {
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
  rejectInvalidPost('Instagram', draft)
  const work = containerProgressIn(progress)
  try {
    const container = await prepare(graph, actor, draft, work, save)
    if (container === undefined) return processing(work, draft)
    await save({ stage: 'committing', ...work, container })
    const call: GraphCall = {
      method: 'POST',
      path: `${actor.remoteId}/media_publish`,
      form: { creation_id: container },
      irreversible: true,
    }
    const remoteId = requiredField(graph, call, await request(graph, actor, call), 'id')
    return { state: 'done', ...(await receiptOf(graph, actor, remoteId)) }
  } catch (error) {
    if (hasSubcode(error, [notReady])) return processing(work, draft)
    if (error === containerMissing || hasSubcode(error, lostContainer)) return startOver(work)
    if (hasSubcode(error, [alreadyPublished])) throw unknownOutcome()
    if (hasSubcode(error, notFetched)) await countTry(work, save, error as NetworkError)
    throw aboutHashtags(error, draft)
  }
}

/** Creates missing containers; returns the container to publish, or undefined while Instagram is processing. */
async function prepare(graph: Graph, actor: Actor, draft: Draft, work: ContainerProgress, save: Checkpoint) {
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

/** The first container once all are ready. */
async function readyOf(graph: Graph, actor: Actor, ids: string[]): Promise<string | undefined> {
  const containers = await Promise.all(ids.map((id) => readContainer(graph, actor, id)))
  for (const container of containers) rejectContent(graph, container)
  const states = containers.map(({ state }) => state)
  if (states.includes('published')) throw unknownOutcome()
  if (states.some((state) => ['failed', 'expired', 'gone'].includes(state))) throw containerMissing
  return states.every((state) => state === 'ready') ? ids[0] : undefined
}

const unknownOutcome = () =>
  new NetworkError(
    'Instagram',
    { kind: 'unknownOutcome' },
    'Instagram: this post may have been published already; search for it first.',
  )

const containerMissing = new Error('A container is gone.')

const processing = (work: ContainerProgress, { media }: Draft): Step => ({
  state: 'pending',
  progress: { stage: 'processing', ...work },
  checkAfterMs: media.some(isVideo) ? 30_000 : 5_000,
})

/** Nothing was published: containers are recreated, a limited number of times. */
function startOver({ tries }: ContainerProgress): Step {
  if (tries + 1 >= maximumTries)
    throw badInput('Instagram', 'Instagram could not process the pictures or videos.', 'media')
  return { state: 'pending', progress: { stage: 'uploading', items: [], tries: tries + 1 }, checkAfterMs: 30_000 }
}

async function countTry(work: ContainerProgress, save: Checkpoint, error: NetworkError) {
  work.tries += 1
  if (work.tries >= maximumTries) throw badInput('Instagram', error.message, 'media')
  await save({ stage: 'uploading', ...work })
}

/** Since December 2025 Instagram lowers its limit from 30 to 5 hashtags, account by account: only the rejection shows where it applies. */
function aboutHashtags(error: unknown, { text }: Draft): unknown {
  const count = text.match(/#[\p{L}\p{N}_]/gu)?.length ?? 0
  if (count <= newCeiling || !(error instanceof NetworkError) || !isPermanentError(error, 'input')) return error
  if (error.fault.kind === 'permanent' && error.fault.field === 'media') return error
  const sentence = `The text has ${count} hashtags; Instagram allows ${newCeiling} on many accounts.`
  const fault = { kind: 'permanent', why: 'input', field: 'text' } as const
  return new NetworkError('Instagram', fault, `${error.message} ${sentence}`, error.remote, error)
}

const newCeiling = 5

const maximumTries = 3

const hasSubcode = (error: unknown, subcodes: readonly number[]) =>
  error instanceof NetworkError && subcodes.includes(Number(error.remote.subcode))

function containerProgressIn(progress?: Progress): ContainerProgress {
  const album = textAt(progress, 'album')
  const items = listAt(progress, 'items').map(String)
  return { items, tries: numberAt(progress, 'tries') ?? 0, ...(album !== undefined && { album }) }
}

/** Holds an image or video until it is published; several form an album. */
export interface Container {
  state: 'ready' | 'working' | 'failed' | 'expired' | 'gone' | 'published'
  /** Instagram's status message. */
  message: string
}

async function createContainer(graph: Graph, actor: Actor, form: GraphCall['form']): Promise<string> {
  const call: GraphCall = { method: 'POST', path: `${actor.remoteId}/media`, ...(form && { form }) }
  return requiredField(graph, call, await request(graph, actor, call), 'id')
}

/** Instagram fetches the file from its public URL; a single video is a reel. */
function itemForm(media: MediaRef, draft: Draft): GraphCall['form'] {
  const alone = draft.media.length === 1
  const caption = alone ? { caption: draft.text || undefined } : { is_carousel_item: 'true' }
  if (!isVideo(media)) return { image_url: media.publicUrl, alt_text: media.alt, ...caption }
  const kind = alone ? { media_type: 'REELS', share_to_feed: 'true' } : { media_type: 'VIDEO' }
  return { ...kind, video_url: media.publicUrl, ...caption }
}

const albumForm = (items: string[], { text }: Draft): GraphCall['form'] => ({
  media_type: 'CAROUSEL',
  children: items.join(','),
  caption: text || undefined,
})

async function readContainer(graph: Graph, actor: Actor, id: string): Promise<Container> {
  try {
    const response = await request(graph, actor, { method: 'GET', path: id, query: { fields: 'status_code,status' } })
    const state = states[textAt(response, 'status_code') ?? ''] ?? 'working'
    return { state, message: textAt(response, 'status') ?? '' }
  } catch (error) {
    if (isPermanentError(error, 'gone')) return { state: 'gone', message: '' }
    throw error
  }
}

/** Throws if Instagram permanently rejects the content of a container; the status message contains the reason as a number. */
function rejectContent(graph: Graph, { message }: Container) {
  const subcode = /\b2207\d{3}\b/.exec(message)?.[0]
  const meaning = subcode === undefined ? undefined : meaningOf(graph, undefined, Number(subcode))
  if (meaning?.kind === 'permanent')
    throw new NetworkError('Instagram', meaning, `Instagram: ${message.replace(/^Error:\s*/, '')}`, { subcode })
}

const states: { readonly [code: string]: Container['state'] } = {
  FINISHED: 'ready',
  IN_PROGRESS: 'working',
  ERROR: 'failed',
  EXPIRED: 'expired',
  PUBLISHED: 'published',
}

/** Permalink of a new post; the post is published even if this request fails. */
async function receiptOf(graph: Graph, actor: Actor, remoteId: string): Promise<Receipt> {
  try {
    const response = await request(graph, actor, {
      method: 'GET',
      path: remoteId,
      query: { fields: 'permalink,timestamp' },
    })
    const at = timeAt(response, 'timestamp') ?? graph.installation.clock.now()
    return { remoteId, remoteUrl: textAt(response, 'permalink'), at }
  } catch (error) {
    if (error instanceof NetworkError) return { remoteId, at: graph.installation.clock.now() }
    throw error
  }
}

/** A container reports whether it was published; the newest posts show which post it became. */
export async function findPost(
  graph: Graph,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  const id = textAt(progress, 'container')
  const state = id === undefined ? 'gone' : (await readContainer(graph, actor, id)).state
  if (state !== 'published' && state !== 'gone') return { state: 'absent' }
  const fields = 'id,caption,permalink,timestamp,media_type'
  const query = { fields, limit: 50 }
  const response = await request(graph, actor, { method: 'GET', path: `${actor.remoteId}/media`, query })
  const recent = listAt(response, 'data').filter((row) => isSince(row, 'timestamp', since))
  const names = { text: 'caption', time: 'timestamp' }
  const same = recent.filter((row) => hasText(row, names, draft.text, since) && isOfKind(row, draft))
  // A published container became one of these; a single candidate needs no matching text.
  const candidates = state === 'published' && !same.length ? recent : same
  const [only, second] = candidates
  if (only && !second) return found(only, since)
  if (state === 'gone' && !recent.length) return { state: 'absent' }
  return {
    state: 'undecidable',
    why: 'Instagram does not say which of the newest posts of this account this is; check the profile.',
  }
}

const found = (row: Json, since: Date): Found => ({
  state: 'found',
  remoteId: textAt(row, 'id') ?? '',
  remoteUrl: textAt(row, 'permalink'),
  at: timeAt(row, 'timestamp') ?? since,
})

const isOfKind = (row: Json, { media }: Draft) => (textAt(row, 'media_type') === 'CAROUSEL_ALBUM') === media.length > 1

/** A container that is still being processed. */
const notReady = 2207027
/** Missing or expired containers: nothing was published, and new ones are created. */
const lostContainer = [2207006, 2207008, 2207020]
/** Instagram could not fetch our file. */
const notFetched = [2207003, 2207052, 2207077]

/** Not in Meta's table. Returned for containers that were already published, so the post is looked up. */
const alreadyPublished = 2207041

export const instagramErrors: readonly ErrorMeaningRow[] = [
  { subcodes: [notReady, ...lostContainer, ...notFetched], meaning: retryable },
  { subcodes: [2207001, 2207032, 2207053, 2207082], meaning: retryable },
  { subcodes: [alreadyPublished], meaning: { kind: 'duplicate' } },
  // The daily limit is a sliding window: an hour later a post may be allowed again.
  { subcodes: [2207042], meaning: throttle('actor', 1) },
  { subcodes: [2207051], meaning: throttle('actor', 24) },
  { subcodes: [2207050], meaning: permanent('policy') },
  { subcodes: [2207010, 2207040], meaning: permanent('input', 'text') },
  { subcodes: [2207004, 2207005, 2207009, 2207023, 2207026, 2207028, 2207057], meaning: permanent('input', 'media') },
  { codes: [-2, -1, 24, 9004, 9007], meaning: retryable },
  { codes: [9], meaning: throttle('actor', 1) },
  { codes: [25], meaning: permanent('policy') },
  { codes: [36004], meaning: permanent('input', 'text') },
  { codes: [36000, 36001, 36003], meaning: permanent('input', 'media') },
  ...graphErrors,
]
