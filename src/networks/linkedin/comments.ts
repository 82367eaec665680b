import type { Actor } from '../connector/actor.ts'
import type { Found, MediaRef, Receipt, Target } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitComment } from '../content/draft-check.ts'
import { commentUrnOf } from './activities.ts'
import { ask, type Calls, ifAllowed, type Listed, list } from './calls.ts'
import { commentParts, commentUrl, encoded, numberAt, textAt, urnOf } from './fields.ts'
import { tidy } from './finding.ts'
import { shown } from './little-text.ts'
import { streamed, uploadFile } from './uploads.ts'

/** A comment under a post, or an answer under its top-level comment: LinkedIn knows two levels. */
export async function reply(
  calls: Calls,
  actor: Actor,
  to: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  refuseUnfitComment('LinkedIn', text, media)
  const words = shown(text)
  const [picture] = media
  const image = picture && (await uploadFile(calls, actor, 'image', streamed(picture)))
  const parent = parentOf(to)
  const object = (parent && commentParts(parent)?.object) ?? to.postId
  const call = ask(calls, actor, {
    method: 'POST',
    path: `/rest/socialActions/${encoded(parent ?? to.postId)}/comments`,
    irreversible: true,
    json: {
      actor: urnOf(actor),
      object,
      message: { text: words },
      ...(parent !== undefined && { parentComment: parent }),
      ...(image !== undefined && { content: [{ entity: { image } }] }),
    },
  })
  const { body, headers } = await explained(call)
  const remoteId = textAt(body, 'commentUrn') ?? textAt(body, '$URN') ?? numbered(object, headers['x-restli-id'])
  if (remoteId === undefined) {
    throw new NetworkError('LinkedIn', { kind: 'unknownOutcome' }, 'LinkedIn: the answer does not name the comment.')
  }
  return receipt(calls, to, remoteId, numberAt(body, 'created', 'time'))
}

export async function findReply(calls: Calls, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  const path = `/rest/socialActions/${encoded(parentOf(to) ?? to.postId)}/comments`
  const earliest = since.getTime() - 60_000
  const words = tidy(shown(text))
  let start: number | undefined = 0
  for (let pages = 0; start !== undefined && pages < 10; pages++) {
    const page: Listed | undefined = await ifAllowed(list(calls, actor, path, { start, count: 100 }))
    if (!page) return undecidable('LinkedIn does not show these comments to this app')
    for (const comment of page.elements) {
      const at = numberAt(comment, 'created', 'time') ?? 0
      const isOurs = textAt(comment, 'actor') === urnOf(actor) && at >= earliest
      if (!isOurs || tidy(textAt(comment, 'message', 'text') ?? '') !== words) continue
      return { state: 'found', ...receipt(calls, to, commentUrnOf(comment), at) }
    }
    start = page.next
  }
  return start === undefined ? { state: 'absent' } : undecidable('There are too many comments to look through')
}

/** A refusal for want of permission, in words that say what would help. */
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

export async function like(calls: Calls, actor: Actor, { postId, commentId }: Target): Promise<void> {
  const path = `/rest/reactions?actor=${encoded(urnOf(actor))}`
  const json = { root: commentId ?? postId, reactionType: 'LIKE' }
  await unless(409, explained(ask(calls, actor, { method: 'POST', path, json })))
}

/** A post or a comment, told by its URN. */
export async function remove(calls: Calls, actor: Actor, remoteId: string): Promise<void> {
  const comment = commentParts(remoteId)
  const path = comment
    ? `/rest/socialActions/${encoded(comment.object)}/comments/${comment.number}?actor=${encoded(urnOf(actor))}`
    : `/rest/posts/${encoded(remoteId)}`
  await unless(404, ask(calls, actor, { method: 'DELETE', path }))
}

/** Whoever is told that it was so already has what he wanted. */
async function unless(status: number, call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.status !== status) throw error
  }
}

const parentOf = ({ commentId, rootCommentId }: Target) => commentId && (rootCommentId ?? commentId)

const numbered = (object: string, number: string | undefined) =>
  number === undefined ? undefined : `urn:li:comment:(${object},${number})`

const receipt = (
  { app, installation }: Calls,
  { postId }: Target,
  remoteId: string,
  at: number | undefined,
): Receipt => ({
  remoteId,
  remoteUrl: commentUrl(app, postId, remoteId),
  at: at ? new Date(at) : installation.clock.now(),
})
