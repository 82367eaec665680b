import type { Actor } from '../connector/actor.ts'
import type { Found, Receipt, Target } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitComment } from '../content/draft-check.ts'
import { ask, type GraphCall, isNever, needed } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { listAt, textAt, timeAt } from '../graph/graph.ts'
import { nextOf } from '../graph/listing.ts'
import { isSaid } from '../graph/words.ts'
import { manifest } from './manifest.ts'

/** Under an own post, or, when that is somebody else's, as an answer to having been named there. */
export async function reply(graph: Graph, actor: Actor, to: Target, text: string): Promise<Receipt> {
  refuseUnfitComment('Instagram', text, [])
  const path = placeOf(to)
  try {
    return await say(graph, actor, path, { message: text })
  } catch (error) {
    // What is not ours cannot be reached; nothing was said there.
    if (!isNever(error, 'gone', 'permission')) throw error
    const form = { media_id: to.postId, comment_id: to.commentId, message: text }
    return say(graph, actor, `${actor.remoteId}/mentions`, form).catch((other) => {
      throw isNever(other, 'gone', 'permission', 'input') ? error : other
    })
  }
}

export async function findReply(graph: Graph, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  try {
    const query = { fields: 'id,text,username,from,timestamp', limit: 100 }
    const answer = await ask(graph, actor, { method: 'GET', path: placeOf(to), query })
    const rows = listAt(answer, 'data')
    const found = rows.find(
      (row) =>
        [actor.remoteId, actor.username].includes(textAt(row, 'from', 'id') ?? textAt(row, 'username') ?? '') &&
        isSaid(row, { text: 'text', time: 'timestamp' }, text, since),
    )
    if (found) return { state: 'found', remoteId: textAt(found, 'id') ?? '', at: timeAt(found, 'timestamp') ?? since }
    if (nextOf(answer) === undefined) return { state: 'absent' }
    return { state: 'undecidable', why: 'There are too many comments to be sure; check under the post.' }
  } catch (error) {
    if (!isNever(error, 'gone', 'permission')) throw error
    return { state: 'undecidable', why: 'Instagram does not show comments under posts of others; check there.' }
  }
}

export async function postOfComment(graph: Graph, actor: Actor, commentId: string): Promise<string> {
  const call: GraphCall = { method: 'GET', path: commentId, query: { fields: 'media' } }
  const answer = await ask(graph, actor, call)
  // Older versions name the post by its id alone.
  return textAt(answer, 'media', 'id') ?? needed(graph, call, answer, 'media')
}

export async function remove(graph: Graph, actor: Actor, remoteId: string): Promise<void> {
  try {
    await ask(graph, actor, { method: 'DELETE', path: remoteId })
  } catch (error) {
    if (isNever(error, 'permission'))
      throw new NetworkError('Instagram', isMissing, manifest.missing?.remove ?? '', error.remote, error)
    if (!isNever(error, 'gone')) throw error
  }
}

const isMissing = { kind: 'permanent', why: 'unsupported' } as const

async function say(graph: Graph, actor: Actor, path: string, form: GraphCall['form']): Promise<Receipt> {
  const call: GraphCall = { method: 'POST', path, ...(form && { form }), irreversible: true }
  const remoteId = needed(graph, call, await ask(graph, actor, call), 'id')
  return { remoteId, at: graph.installation.clock.now() }
}

/** Answers hang under the comment that began the thread. */
const placeOf = ({ postId, commentId, rootCommentId }: Target) =>
  commentId === undefined ? `${postId}/comments` : `${rootCommentId ?? commentId}/replies`
