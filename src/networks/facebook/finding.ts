import type { Actor } from '../connector/actor.ts'
import type { Draft, Found, Progress } from '../connector/draft.ts'
import { ask, isNever } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { listAt, textAt, timeAt } from '../graph/graph.ts'
import { nextOf } from '../graph/listing.ts'
import { isSaid, isSince } from '../graph/words.ts'
import type { Json } from '../wire/json.ts'
import { readVideo, receiptOf } from './publishing.ts'

/** What became of a post whose answer got lost: a video knows its post, everything else is on the page's list. */
export function findPost(graph: Graph, actor: Actor, draft: Draft, since: Date, progress?: Progress): Promise<Found> {
  const video = textAt(progress, 'video')
  return video === undefined ? findOnPage(graph, actor, draft, since, progress) : findVideo(graph, actor, video)
}

async function findVideo(graph: Graph, actor: Actor, video: string): Promise<Found> {
  try {
    const { postId, isSent, failed } = await readVideo(graph, actor, video)
    if (postId !== undefined) return { state: 'found', ...(await receiptOf(graph, actor, postId)) }
    // A video that cannot be processed never becomes a post.
    if (failed !== undefined) return { state: 'absent' }
    // Its post has no id yet, but Facebook understands the video's in its place.
    if (isSent) return { state: 'found', remoteId: video, at: graph.installation.clock.now() }
    return { state: 'undecidable', why: 'Facebook does not say what became of the video; look at the page in a while.' }
  } catch (error) {
    if (isNever(error, 'gone')) return { state: 'absent' }
    throw error
  }
}

async function findOnPage(graph: Graph, actor: Actor, draft: Draft, since: Date, progress?: Progress): Promise<Found> {
  const query = {
    since: Math.floor(since.getTime() / 1000) - 60,
    limit: 100,
    fields:
      'id,message,created_time,permalink_url,attachments{type,url,unshimmed_url,target{id},subattachments{target{id}}}',
  }
  const answer = await ask(graph, actor, { method: 'GET', path: `${actor.remoteId}/posts`, query })
  const photos = listAt(progress, 'photos').map(String)
  const found = listAt(answer, 'data').find((row) => isIt(row, draft, photos, since))
  if (found) {
    const remoteUrl = textAt(found, 'permalink_url')
    return {
      state: 'found',
      remoteId: textAt(found, 'id') ?? '',
      remoteUrl,
      at: timeAt(found, 'created_time') ?? since,
    }
  }
  if (nextOf(answer) === undefined) return { state: 'absent' }
  return {
    state: 'undecidable',
    why: 'The page has too many new posts to be sure; check whether this one is among them.',
  }
}

/** Pictures were uploaded for this post alone and prove it; without them its words and its link do. */
function isIt(row: Json, draft: Draft, photos: string[], since: Date): boolean {
  const attachments = listAt(row, 'attachments', 'data')
  if (photos.length) {
    const shown = attachments.flatMap((one) => [one, ...listAt(one, 'subattachments', 'data')])
    return (
      isSince(row, 'created_time', since) && shown.some((one) => photos.includes(textAt(one, 'target', 'id') ?? ''))
    )
  }
  if (!isSaid(row, { text: 'message', time: 'created_time' }, draft.text, since)) return false
  if (!draft.link) return true
  const { url } = draft.link
  return attachments.some((one) =>
    [textAt(one, 'unshimmed_url'), textAt(one, 'url')].some((other) => sameUrl(other, url)),
  )
}

/** Addresses come back in their normal form. */
const sameUrl = (one: string | undefined, other: string) => one !== undefined && normal(one) === normal(other)

/** Not URL.canParse, which in Node 20 turns away accented letters once it is optimised. */
function normal(url: string): string {
  try {
    return new URL(url).href
  } catch {
    return url
  }
}
