import type { Actor } from '../connector/actor.ts'
import type { Correspondent, Found, MediaRef, Receipt } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { windowProblem } from '../content/content-check.ts'
import { refuseUnfitMessage } from '../content/draft-check.ts'
import { ask, type GraphCall, isNever, needed } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { listAt, textAt, timeAt } from '../graph/graph.ts'
import { isSaid, isSince } from '../graph/words.ts'
import type { Json } from '../wire/json.ts'
import { messageFields } from './reading.ts'

/** Messenger carries a text or a file in one message, so files go first and the text, if it arrived, proves them all. */
export async function message(
  graph: Graph,
  actor: Actor,
  to: Correspondent,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  refuseUnfitMessage('Facebook', text, media)
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
  const answer = await ask(graph, actor, { method: 'GET', path: `${actor.remoteId}/conversations`, query })
  const ours = listAt(answer, 'data')
    .flatMap((thread) => listAt(thread, 'messages', 'data'))
    .filter((row) => textAt(row, 'from', 'id') === actor.remoteId && isSince(row, 'created_time', since))
  const found = ours.find((row) => isSaid(row, { text: 'message', time: 'created_time' }, text, since))
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
  const answer = await ask(graph, actor, call).catch((error: unknown) => {
    throw window.messaging_type === 'MESSAGE_TAG' ? lateAnswer(error) : error
  })
  return needed(graph, call, answer, 'message_id')
}

/** What Facebook says of it does not tell what to do: the app has to be approved for answers after a day. */
function lateAnswer(error: unknown): unknown {
  if (!(error instanceof NetworkError) || !isNever(error, 'permission', 'policy', 'input', 'unsupported')) return error
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

/** A page may answer for a day, and a person in its name for a week; the second needs Meta's approval. */
function windowOf(now: Date, lastInboundAt?: Date): Window {
  const age = lastInboundAt ? now.getTime() - lastInboundAt.getTime() : 0
  if (age < day) return { messaging_type: 'RESPONSE' }
  const sentence = windowProblem('Facebook', lastInboundAt, now)
  if (!sentence) return { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' }
  throw new NetworkError('Facebook', { kind: 'permanent', why: 'policy' }, sentence)
}

/** What went out before must not go out again, whatever became of the rest. */
function partlySent(error: unknown): unknown {
  if (!(error instanceof NetworkError)) return error
  return new NetworkError('Facebook', { kind: 'unknownOutcome' }, error.message, error.remote, error)
}

const fileType = (mime: string) => /^(image|video|audio)\//.exec(mime)?.[1] ?? 'file'

const day = 86_400_000
