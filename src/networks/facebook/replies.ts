import { type Actor, NetworkError } from '../connector/connector.ts'
import type { Correspondent, Found, MediaRef, Receipt, Target } from '../connector/draft.ts'
import { windowProblem } from '../content/content-check.ts'
import { rejectInvalidComment, rejectInvalidMessage } from '../content/draft-check.ts'
import { type GraphCall, isPermanentError, nextOf, request, requiredField } from '../graph/client.ts'
import { at, type Graph, hasText, isSince, listAt, textAt, timeAt } from '../graph/graph.ts'
import type { Json } from '../http/json.ts'
import { messageFields, newestOfAll } from './activities.ts'

export async function reply(
  graph: Graph,
  actor: Actor,
  { postId, commentId }: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  rejectInvalidComment('Facebook', text, media)
  const call: GraphCall = {
    method: 'POST',
    path: `${commentId ?? postId}/comments`,
    query: { fields: 'id,permalink_url,created_time' },
    form: { message: text || undefined, attachment_url: media[0]?.publicUrl },
    irreversible: true,
  }
  const response = await request(graph, actor, call)
  return {
    remoteId: requiredField(graph, call, response, 'id'),
    remoteUrl: textAt(response, 'permalink_url'),
    at: timeAt(response, 'created_time') ?? graph.installation.clock.now(),
  }
}

/** Searches the newest comments of the whole post: Facebook decides where a nested reply is placed. */
export async function findReply(graph: Graph, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  const query = { ...newestOfAll, limit: 100, fields: 'id,message,from,created_time,parent{id},permalink_url' }
  const response = await request(graph, actor, { method: 'GET', path: `${to.postId}/comments`, query })
  const found = listAt(response, 'data').find(
    (row) =>
      textAt(row, 'from', 'id') === actor.remoteId &&
      hasText(row, { text: 'message', time: 'created_time' }, text, since) &&
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
  const last = timeAt(listAt(response, 'data').at(-1), 'created_time')
  if (nextOf(response) === undefined || (last && last.getTime() < since.getTime() - 60_000)) return { state: 'absent' }
  return {
    state: 'undecidable',
    why: 'Too many comments have come since; check under the post whether the answer is there.',
  }
}

export async function like(graph: Graph, actor: Actor, { postId, commentId }: Target): Promise<void> {
  await request(graph, actor, { method: 'POST', path: `${commentId ?? postId}/likes` })
}

export async function remove(graph: Graph, actor: Actor, remoteId: string): Promise<void> {
  try {
    await request(graph, actor, { method: 'DELETE', path: remoteId })
  } catch (error) {
    if (!isPermanentError(error, 'gone')) throw error
  }
}

/** A Messenger message carries a text or one file, so files go first; if the text arrived, all of them did. */
export async function message(
  graph: Graph,
  actor: Actor,
  to: Correspondent,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  rejectInvalidMessage('Facebook', text, media)
  const window = windowOf(graph.installation.clock.now(), to.lastInboundAt)
  const files = media.map(({ mime, publicUrl: url }) => ({ attachment: { type: fileType(mime), payload: { url } } }))
  const parts: Json[] = text.trim() ? [...files, { text }] : files
  let remoteId = ''
  for (const [index, part] of parts.entries()) {
    remoteId = await send(graph, actor, to, window, part).catch((error) => {
      throw index > 0 ? partlySent(error) : error
    })
  }
  return { remoteId, at: graph.installation.clock.now() }
}

export async function findMessage(
  graph: Graph,
  actor: Actor,
  to: Correspondent,
  text: string,
  since: Date,
): Promise<Found> {
  const query = { platform: 'messenger', user_id: to.personId, fields: `id,messages.limit(50){${messageFields}}` }
  const response = await request(graph, actor, { method: 'GET', path: `${actor.remoteId}/conversations`, query })
  const ours = listAt(response, 'data')
    .flatMap((thread) => listAt(thread, 'messages', 'data'))
    .filter((row) => textAt(row, 'from', 'id') === actor.remoteId && isSince(row, 'created_time', since))
  const found = ours.find((row) => hasText(row, { text: 'message', time: 'created_time' }, text, since))
  if (found) return { state: 'found', remoteId: textAt(found, 'id') ?? '', at: timeAt(found, 'created_time') ?? since }
  if (!ours.some((row) => textAt(row, 'message') === undefined)) return { state: 'absent' }
  return { state: 'undecidable', why: 'A file was sent but not the text; check the conversation on Facebook.' }
}

async function send(
  graph: Graph,
  actor: Actor,
  { personId }: Correspondent,
  window: Window,
  part: Json,
): Promise<string> {
  const call: GraphCall = {
    method: 'POST',
    path: `${actor.remoteId}/messages`,
    form: { recipient: JSON.stringify({ id: personId }), ...window, message: JSON.stringify(part) },
    irreversible: true,
  }
  const response = await request(graph, actor, call).catch((error: unknown) => {
    throw window.messaging_type === 'MESSAGE_TAG' ? lateReplyError(error) : error
  })
  return requiredField(graph, call, response, 'message_id')
}

/** Facebook's message doesn't say what to do: the app needs approval for replies after one day. */
function lateReplyError(error: unknown): unknown {
  if (!(error instanceof NetworkError) || !isPermanentError(error, 'permission', 'policy', 'input', 'unsupported'))
    return error
  const sentence =
    'Facebook takes answers later than 24 hours after the last message only from apps with the permission Human Agent. Ask Meta for it in App Review, or answer in Meta Business Suite.'
  return new NetworkError(
    'Facebook',
    { kind: 'permanent', why: 'policy' },
    `${sentence} ${error.message}`,
    error.remote,
    error,
  )
}

type Window = { messaging_type: 'RESPONSE' } | { messaging_type: 'MESSAGE_TAG'; tag: 'HUMAN_AGENT' }

/** A page may reply for one day, and a person on its behalf for a week, which needs Meta's approval. */
function windowOf(now: Date, lastInboundAt?: Date): Window {
  const age = lastInboundAt ? now.getTime() - lastInboundAt.getTime() : 0
  if (age < day) return { messaging_type: 'RESPONSE' }
  const sentence = windowProblem('Facebook', lastInboundAt, now)
  if (!sentence) return { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' }
  throw new NetworkError('Facebook', { kind: 'permanent', why: 'policy' }, sentence)
}

/** Parts already sent must not be sent again, whatever the other errors are. */
function partlySent(error: unknown): unknown {
  if (!(error instanceof NetworkError)) return error
  return new NetworkError('Facebook', { kind: 'unknownOutcome' }, error.message, error.remote, error)
}

const fileType = (mime: string) => /^(image|video|audio)\//.exec(mime)?.[1] ?? 'file'

const day = 86_400_000
