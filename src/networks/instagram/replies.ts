import type { Actor } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Found, Receipt, Target } from '../connector/draft.ts'
import { rejectInvalidComment } from '../content/draft-check.ts'
import { type GraphCall, isPermanentError, nextOf, request, requiredField } from '../graph/client.ts'
import type { Graph } from '../graph/graph.ts'
import { hasText, listAt, textAt, timeAt } from '../graph/graph.ts'
import { manifest } from './manifest.ts'

/** On an own post, or as a reply to a mention on another account's post. */
export async function reply(graph: Graph, actor: Actor, to: Target, text: string): Promise<Receipt> {
  rejectInvalidComment('Instagram', text, [])
  const path = repliesPath(to)
  try {
    return await postComment(graph, actor, path, { message: text })
  } catch (error) {
    // Other accounts' media can't be read, so nothing was posted there.
    if (!isPermanentError(error, 'gone', 'permission')) throw error
    const form = { media_id: to.postId, comment_id: to.commentId, message: text }
    return postComment(graph, actor, `${actor.remoteId}/mentions`, form).catch((other) => {
      throw isPermanentError(other, 'gone', 'permission', 'input') ? error : other
    })
  }
}

export async function findReply(graph: Graph, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  try {
    const query = { fields: 'id,text,username,from,timestamp', limit: 100 }
    const response = await request(graph, actor, { method: 'GET', path: repliesPath(to), query })
    const rows = listAt(response, 'data')
    const found = rows.find(
      (row) =>
        [actor.remoteId, actor.username].includes(textAt(row, 'from', 'id') ?? textAt(row, 'username') ?? '') &&
        hasText(row, { text: 'text', time: 'timestamp' }, text, since),
    )
    if (found) return { state: 'found', remoteId: textAt(found, 'id') ?? '', at: timeAt(found, 'timestamp') ?? since }
    if (nextOf(response) === undefined) return { state: 'absent' }
    return { state: 'undecidable', why: 'There are too many comments to be sure; check under the post.' }
  } catch (error) {
    if (!isPermanentError(error, 'gone', 'permission')) throw error
    return { state: 'undecidable', why: 'Instagram does not show comments under posts of others; check there.' }
  }
}

export async function postOfComment(graph: Graph, actor: Actor, commentId: string): Promise<string> {
  const call: GraphCall = { method: 'GET', path: commentId, query: { fields: 'media' } }
  const response = await request(graph, actor, call)
  // Older versions return the media id only.
  return textAt(response, 'media', 'id') ?? requiredField(graph, call, response, 'media')
}

export async function remove(graph: Graph, actor: Actor, remoteId: string): Promise<void> {
  try {
    await request(graph, actor, { method: 'DELETE', path: remoteId })
  } catch (error) {
    if (isPermanentError(error, 'permission'))
      throw new NetworkError('Instagram', isMissing, manifest.missing?.remove ?? '', error.remote, error)
    if (!isPermanentError(error, 'gone')) throw error
  }
}

const isMissing = { kind: 'permanent', why: 'unsupported' } as const

async function postComment(graph: Graph, actor: Actor, path: string, form: GraphCall['form']): Promise<Receipt> {
  const call: GraphCall = { method: 'POST', path, ...(form && { form }), irreversible: true }
  const remoteId = requiredField(graph, call, await request(graph, actor, call), 'id')
  return { remoteId, at: graph.installation.clock.now() }
}

/** Replies belong to the top-level comment of the thread. */
const repliesPath = ({ postId, commentId, rootCommentId }: Target) =>
  commentId === undefined ? `${postId}/comments` : `${rootCommentId ?? commentId}/replies`
