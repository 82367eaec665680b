import type { Actor } from '../connector/actor.ts'
import type { Correspondent, Found, MediaRef, Receipt } from '../connector/draft.ts'
import { NetworkError, unsupported } from '../connector/fault.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { refuseUnfitMessage } from '../content/draft-check.ts'
import type { Json } from '../wire/json.ts'
import { ask, type Calls, list } from './calls.ts'
import { encoded, numberAt, personUrn, textAt, urnOf } from './fields.ts'
import { tidy } from './finding.ts'
import { messagesGate } from './manifest.ts'
import { kindOf } from './processing.ts'
import { streamed, uploadFile } from './uploads.ts'

/** LinkedIn shows the form of page messages to approved partners only; this one follows the members' Messages interface. */
export const messagesAllowed = ({ options }: NetworkApp) => options.messages === 'yes'

export async function message(
  calls: Calls,
  actor: Actor,
  to: Correspondent,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  refuseUnfitMessage('LinkedIn', text, media)
  const attachments: string[] = []
  for (const one of media) {
    const kind = kindOf(one) === 'document' ? 'document' : 'image'
    attachments.push(await uploadFile(calls, actor, kind, streamed(one)))
  }
  const { body, headers } = await ask(calls, actor, {
    method: 'POST',
    path: '/v2/messages',
    irreversible: true,
    json: {
      ...(actor.kind === 'page' && { sender: urnOf(actor) }),
      recipients: [personUrn(to.personId)],
      ...(to.threadId !== undefined && { thread: to.threadId }),
      subject: '',
      body: text,
      messageType: 'MEMBER_TO_MEMBER',
      ...(attachments.length > 0 && { attachments }),
    },
  })
  const remoteId = headers['x-restli-id']?.replaceAll('%3A', ':') ?? textAt(body, 'id')
  if (!remoteId) {
    throw new NetworkError('LinkedIn', { kind: 'unknownOutcome' }, 'LinkedIn: the answer does not name the message.')
  }
  return { remoteId, at: calls.installation.clock.now() }
}

export async function findMessage(
  calls: Calls,
  actor: Actor,
  to: Correspondent,
  text: string,
  since: Date,
): Promise<Found> {
  requireMessages(calls.app)
  const earliest = since.getTime() - 60_000
  const messages = await mailbox(calls, actor, earliest)
  const mine = messages.find((sent) => {
    const inThread =
      (to.threadId !== undefined && textAt(sent, 'thread') === to.threadId) ||
      textAt(sent, 'participant', 'urn') === personUrn(to.personId)
    const isOurs = textAt(sent, 'direction') === 'OUTBOUND' && (numberAt(sent, 'createdAt') ?? 0) >= earliest
    return isOurs && inThread && tidy(textAt(sent, 'body') ?? '') === tidy(text)
  })
  const remoteId = textAt(mine, 'id')
  if (remoteId === undefined && messages.length >= mailboxSize) {
    const why =
      'There are too many messages to look through; it may have been sent, please check the messages on LinkedIn.'
    return { state: 'undecidable', why }
  }
  if (remoteId === undefined) return { state: 'absent' }
  return { state: 'found', remoteId, at: new Date(numberAt(mine, 'createdAt') ?? 0) }
}

/** The newest messages of both sides, newest first. */
export async function mailbox(calls: Calls, actor: Actor, since = 0): Promise<Json[]> {
  const path = `/v2/messages?q=mailbox&owner=${encoded(urnOf(actor))}&since=${since}`
  return (await list(calls, actor, path, { count: mailboxSize })).elements
}

const mailboxSize = 100

function requireMessages(app: NetworkApp) {
  if (!messagesAllowed(app)) throw unsupported('LinkedIn', messagesGate)
}
