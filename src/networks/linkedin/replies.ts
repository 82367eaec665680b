import { type Actor, NetworkError } from '../connector/connector.ts'
import type { Correspondent, Found, MediaRef, Receipt, Target } from '../connector/draft.ts'
import { rejectInvalidComment, rejectInvalidMessage } from '../content/draft-check.ts'
import { commentUrnOf, mailbox, mailboxSize, requireMessages } from './activities.ts'
import { ifAllowed, type LinkedInClient, type Listed, request, requestList } from './client.ts'
import { commentParts, commentUrl, encoded, numberAt, personUrn, textAt, urnOf } from './fields.ts'
import { displayedText } from './little-text.ts'
import { tidy } from './publishing.ts'
import { kindOf, streamed, uploadFile } from './uploads.ts'

/** A comment under a post, or a reply under its top-level comment: LinkedIn has two levels. */
export async function reply(
  client: LinkedInClient,
  actor: Actor,
  to: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  rejectInvalidComment('LinkedIn', text, media)
  const displayed = displayedText(text)
  const [picture] = media
  const image = picture && (await uploadFile(client, actor, 'image', streamed(picture)))
  const parent = parentOf(to)
  const object = (parent && commentParts(parent)?.object) ?? to.postId
  const call = request(client, actor, {
    method: 'POST',
    path: `/rest/socialActions/${encoded(parent ?? to.postId)}/comments`,
    irreversible: true,
    json: {
      actor: urnOf(actor),
      object,
      message: { text: displayed },
      ...(parent !== undefined && { parentComment: parent }),
      ...(image !== undefined && { content: [{ entity: { image } }] }),
    },
  })
  const { body, headers } = await explained(call)
  const remoteId =
    textAt(body, 'commentUrn') ?? textAt(body, '$URN') ?? commentUrnNumber(object, headers['x-restli-id'])
  if (remoteId === undefined) {
    throw new NetworkError('LinkedIn', { kind: 'unknownOutcome' }, 'LinkedIn: the answer does not name the comment.')
  }
  return receipt(client, to, remoteId, numberAt(body, 'created', 'time'))
}

export async function findReply(
  client: LinkedInClient,
  actor: Actor,
  to: Target,
  text: string,
  since: Date,
): Promise<Found> {
  const path = `/rest/socialActions/${encoded(parentOf(to) ?? to.postId)}/comments`
  const earliest = since.getTime() - 60_000
  const displayed = tidy(displayedText(text))
  let start: number | undefined = 0
  for (let pages = 0; start !== undefined && pages < 10; pages++) {
    const page: Listed | undefined = await ifAllowed(requestList(client, actor, path, { start, count: 100 }))
    if (!page) return undecidable('LinkedIn does not show these comments to this app')
    for (const comment of page.elements) {
      const at = numberAt(comment, 'created', 'time') ?? 0
      const isOwn = textAt(comment, 'actor') === urnOf(actor) && at >= earliest
      if (!isOwn || tidy(textAt(comment, 'message', 'text') ?? '') !== displayed) continue
      return { state: 'found', ...receipt(client, to, commentUrnOf(comment), at) }
    }
    start = page.next
  }
  return start === undefined ? { state: 'absent' } : undecidable('There are too many comments to look through')
}

/** Replaces a permission error with a message that says what to do. */
async function explained<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent' || error.fault.why !== 'permission')
      throw error
    const sentence = error.message.includes('/content') ? noPictures : noComments
    throw new NetworkError('LinkedIn', error.fault, sentence, error.remote, error)
  }
}

const noPictures = 'LinkedIn took no picture in this comment; send it without one.'
const noComments =
  'LinkedIn did not let this profile comment or like. The app needs the Community Management product, and the member a role for the page.'

const undecidable = (what: string): Found => ({
  state: 'undecidable',
  why: `${what}; it may have been sent, please check the post on LinkedIn.`,
})

export async function like(client: LinkedInClient, actor: Actor, { postId, commentId }: Target): Promise<void> {
  const path = `/rest/reactions?actor=${encoded(urnOf(actor))}`
  const json = { root: commentId ?? postId, reactionType: 'LIKE' }
  await unless(409, explained(request(client, actor, { method: 'POST', path, json })))
}

export async function remove(client: LinkedInClient, actor: Actor, remoteId: string): Promise<void> {
  const comment = commentParts(remoteId)
  const path = comment
    ? `/rest/socialActions/${encoded(comment.object)}/comments/${comment.number}?actor=${encoded(urnOf(actor))}`
    : `/rest/posts/${encoded(remoteId)}`
  await unless(404, request(client, actor, { method: 'DELETE', path }))
}

/** Ignores the status that says it was already done. */
async function unless(status: number, call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.status !== status) throw error
  }
}

const parentOf = ({ commentId, rootCommentId }: Target) => commentId && (rootCommentId ?? commentId)

const commentUrnNumber = (object: string, number: string | undefined) =>
  number === undefined ? undefined : `urn:li:comment:(${object},${number})`

const receipt = (
  { app, installation }: LinkedInClient,
  { postId }: Target,
  remoteId: string,
  at: number | undefined,
): Receipt => ({
  remoteId,
  remoteUrl: commentUrl(app, postId, remoteId),
  at: at ? new Date(at) : installation.clock.now(),
})

export async function message(
  client: LinkedInClient,
  actor: Actor,
  to: Correspondent,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  rejectInvalidMessage('LinkedIn', text, media)
  const attachments: string[] = []
  for (const one of media) {
    const kind = kindOf(one) === 'document' ? 'document' : 'image'
    attachments.push(await uploadFile(client, actor, kind, streamed(one)))
  }
  const { body, headers } = await request(client, actor, {
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
  return { remoteId, at: client.installation.clock.now() }
}

export async function findMessage(
  client: LinkedInClient,
  actor: Actor,
  to: Correspondent,
  text: string,
  since: Date,
): Promise<Found> {
  requireMessages(client.app)
  const earliest = since.getTime() - 60_000
  const messages = await mailbox(client, actor, earliest)
  const ownMessage = messages.find((sent) => {
    const inThread =
      (to.threadId !== undefined && textAt(sent, 'thread') === to.threadId) ||
      textAt(sent, 'participant', 'urn') === personUrn(to.personId)
    const isOwn = textAt(sent, 'direction') === 'OUTBOUND' && (numberAt(sent, 'createdAt') ?? 0) >= earliest
    return isOwn && inThread && tidy(textAt(sent, 'body') ?? '') === tidy(text)
  })
  const remoteId = textAt(ownMessage, 'id')
  if (remoteId === undefined && messages.length >= mailboxSize) {
    const why =
      'There are too many messages to look through; it may have been sent, please check the messages on LinkedIn.'
    return { state: 'undecidable', why }
  }
  if (remoteId === undefined) return { state: 'absent' }
  return { state: 'found', remoteId, at: new Date(numberAt(ownMessage, 'createdAt') ?? 0) }
}
