import type { Actor } from '../connector/actor.ts'
import type { Found, MediaRef, Receipt, Target } from '../connector/draft.ts'
import { refuseUnfitComment } from '../content/draft-check.ts'
import { ask, type GraphCall, isNever, needed } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { at, listAt, textAt, timeAt } from '../graph/graph.ts'
import { nextOf } from '../graph/listing.ts'
import { isSaid } from '../graph/words.ts'
import { newestOfAll } from './reading.ts'

export async function reply(
  graph: Graph,
  actor: Actor,
  { postId, commentId }: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  refuseUnfitComment('Facebook', text, media)
  const call: GraphCall = {
    method: 'POST',
    path: `${commentId ?? postId}/comments`,
    query: { fields: 'id,permalink_url,created_time' },
    form: { message: text || undefined, attachment_url: media[0]?.publicUrl },
    irreversible: true,
  }
  const answer = await ask(graph, actor, call)
  return {
    remoteId: needed(graph, call, answer, 'id'),
    remoteUrl: textAt(answer, 'permalink_url'),
    at: timeAt(answer, 'created_time') ?? graph.installation.clock.now(),
  }
}

/** Looks through the newest comments of the whole post: an answer to an answer hangs where Facebook puts it. */
export async function findReply(graph: Graph, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  const query = { ...newestOfAll, limit: 100, fields: 'id,message,from,created_time,parent{id},permalink_url' }
  const answer = await ask(graph, actor, { method: 'GET', path: `${to.postId}/comments`, query })
  const found = listAt(answer, 'data').find(
    (row) =>
      textAt(row, 'from', 'id') === actor.remoteId &&
      isSaid(row, { text: 'message', time: 'created_time' }, text, since) &&
      (at(row, 'parent') !== undefined) === (to.commentId !== undefined),
  )
  if (found) {
    const remoteUrl = textAt(found, 'permalink_url')
    return {
      state: 'found',
      remoteId: textAt(found, 'id') ?? '',
      remoteUrl,
      at: timeAt(found, 'created_time') ?? since,
    }
  }
  const last = timeAt(listAt(answer, 'data').at(-1), 'created_time')
  if (nextOf(answer) === undefined || (last && last.getTime() < since.getTime() - 60_000)) return { state: 'absent' }
  return {
    state: 'undecidable',
    why: 'Too many comments have come since; check under the post whether the answer is there.',
  }
}

export async function like(graph: Graph, actor: Actor, { postId, commentId }: Target): Promise<void> {
  await ask(graph, actor, { method: 'POST', path: `${commentId ?? postId}/likes` })
}

export async function remove(graph: Graph, actor: Actor, remoteId: string): Promise<void> {
  try {
    await ask(graph, actor, { method: 'DELETE', path: remoteId })
  } catch (error) {
    if (!isNever(error, 'gone')) throw error
  }
}
