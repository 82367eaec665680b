import { mediaOf } from '../behaviour/media.ts'
import { metricsOf } from '../behaviour/metrics.ts'
import { type ApiRequest, listOf, nestedText, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { idFormats, limits } from '../manifests.ts'
import { recordAction, removeItem } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { keyOf } from '../state/storage.ts'
import { actor, grantFor, requireBatchAccess } from './access.ts'
import { authorUrn } from './posts.ts'
import { badField, idOf, notFound, parseList, refuse, urnOf } from './protocol.ts'

/** POST /rest/socialActions/{urn}/comments: on a post or on a top-level comment. */
export function comment(request: ApiRequest): ApiResponse {
  const parent = target(request, request.params.urn)
  const by = actor(request, textOf(request, 'actor'), 'w_feed')
  const text = nestedText(request, 'message', 'text') ?? ''
  const image = listOf(request, 'content').map((entry) => nestedText(entry as object, 'entity', 'image'))[0]
  if (!text && !image) badField('/message/text', 'FIELD_REQUIRED', 'A comment needs text or an image', 400)
  if (text.length > limits.LinkedIn.comment) {
    badField('/message/text', 'FIELD_LENGTH_TOO_LONG', `A comment may have ${limits.LinkedIn.comment} characters`)
  }
  if (image !== undefined && !mediaOf(request.state, 'LinkedIn', image))
    badField('/content', 'INVALID_URN', 'Unknown image', 400)
  const isReply = parent.kind !== 'post' && parent.kind !== 'mention'
  if (isReply && parent.parentId !== parent.postId) {
    refuse(400, 'ILLEGAL_ARGUMENT', 'Only top-level comments can be answered')
  }
  if (isReply && textOf(request, 'parentComment') !== parent.id) {
    badField('/parentComment', 'FIELD_VALUE_INVALID', 'parentComment must be the comment in the path', 400)
  }
  const post = request.state.items.get(keyOf('LinkedIn', parent.postId ?? parent.id)) ?? parent
  const created = recordAction(request.state, by, {
    id: idFormats.LinkedIn.comment(post, parent),
    kind: 'comment',
    postId: post.id,
    parentId: parent.id,
    text,
    media: image === undefined ? [] : [image],
  })
  return json(commentShape(request, created), 201, { 'x-restli-id': commentNumber(created.id) })
}

export function listComments(request: ApiRequest): ApiResponse {
  grantFor(request, 'r_organization_social_feed', 'r_member_social_feed')
  const found = request.state.items.childrenOf(target(request, request.params.urn), 'comment')
  const start = numberOf(request, 'start') ?? 0
  const count = numberOf(request, 'count') ?? 10
  const elements = found.slice(start, start + count).map((row) => commentShape(request, row))
  return json({ elements, paging: { start, count, total: found.length, links: [] } })
}

/** DELETE /rest/socialActions/{urn}/comments/{number}?actor=. */
export function deleteComment(request: ApiRequest): ApiResponse {
  grantFor(request)
  const found = request.state.items
    .inConversation(target(request, request.params.urn))
    .find(({ id, kind }) => kind === 'comment' && commentNumber(id) === request.params.number)
  if (!found) notFound('the comment')
  removeItem(request.state, found)
  return { status: 204 }
}

function commentShape(request: ApiRequest, row: Item) {
  const post = request.state.items.get(keyOf('LinkedIn', row.postId ?? ''))
  const time = { time: row.at }
  return {
    id: commentNumber(row.id),
    $URN: row.id,
    commentUrn: row.id,
    actor: authorUrn(request, row),
    object: post?.alias ?? row.postId,
    message: { text: row.text, attributes: [] },
    created: { ...time, actor: authorUrn(request, row) },
    lastModified: time,
    ...(row.media.length ? { content: row.media.map((image) => ({ type: 'IMAGE', entity: { image } })) } : {}),
    ...(row.parentId === row.postId ? {} : { parentComment: row.parentId }),
    likesSummary: { totalLikes: request.state.items.childrenOf(row, 'like').length, selectedLikes: [] },
    commentsSummary: { aggregatedTotalComments: request.state.items.childrenOf(row, 'comment').length },
  }
}

function target(request: ApiRequest, urn: string | undefined): Item {
  const item = request.state.items.live('LinkedIn', urn ?? '')
  if (!item) notFound(`the entity ${urn}`)
  return item
}

const commentNumber = (urn: string) => idOf(/,(\d+)\)$/.exec(urn)?.[1] ?? urn)

const reactions = ['LIKE', 'PRAISE', 'EMPATHY', 'INTEREST', 'APPRECIATION', 'ENTERTAINMENT']

/** POST /rest/reactions?actor= and POST /rest/socialActions/{urn}/likes. */
export function react(request: ApiRequest): ApiResponse {
  const by = actor(request, textOf(request, 'actor'), 'w_feed')
  const root = target(request, textOf(request, 'root') ?? textOf(request, 'object') ?? request.params.urn)
  const type = textOf(request, 'reactionType') ?? 'LIKE'
  if (!reactions.includes(type)) badField('/reactionType', 'FIELD_VALUE_INVALID', `Unknown reaction ${type}`, 400)
  const known = request.state.items.childrenOf(root, 'like').find(({ own, from }) => own && from.id === by.id)
  if (known) refuse(409, 'CONFLICT', 'The actor has already reacted')
  const like = createReaction(request, by, root, type)
  return json({ id: like.id, reactionType: type, root: root.id }, 201, { 'x-restli-id': like.id })
}

export function unreact(request: ApiRequest): ApiResponse {
  grantFor(request)
  const key = request.params.key ?? ''
  const from = key.indexOf('entity:urn:li:')
  const entity = from >= 0 && key.endsWith(')') ? key.slice(from + 'entity:'.length, -1) : undefined
  for (const like of request.state.items.childrenOf(target(request, entity), 'like'))
    if (like.own) removeItem(request.state, like)
  return { status: 204 }
}

/** GET /rest/socialMetadata/{urn}. */
export function socialMetadata(request: ApiRequest): ApiResponse {
  grantFor(request)
  return json(metadata(request, target(request, request.params.urn)))
}

/** GET /rest/socialMetadata?ids=List(…): unknown ids are listed in `errors`. */
export function socialMetadataOf(request: ApiRequest): ApiResponse {
  requireBatchAccess(request)
  const urns = parseList(textOf(request, 'ids'))
  const found = urns.map((urn) => [urn, request.state.items.live('LinkedIn', urn)] as const)
  const results = found.flatMap(([urn, item]) => (item ? [[urn, metadata(request, item)]] : []))
  const errors = found.flatMap(([urn, item]) => (item ? [] : [[urn, { status: 404, message: 'Not found' }]]))
  return json({ results: Object.fromEntries(results), errors: Object.fromEntries(errors), statuses: {} })
}

function metadata(request: ApiRequest, item: Item) {
  const { likes, comments } = metricsOf(request.state, item)
  const top = request.state.items.childrenOf(item, 'comment').length
  return {
    entity: item.id,
    commentSummary: { count: comments, topLevelCount: top },
    reactionSummaries: { LIKE: { reactionType: 'LIKE', count: likes } },
    commentsState: 'OPEN',
  }
}

function createReaction(request: ApiRequest, by: Profile, root: Item, type: string): Item {
  const id = `urn:li:reaction:(${urnOf(by)},${root.alias ?? root.id})`
  return recordAction(request.state, by, {
    id,
    kind: 'like',
    postId: root.postId ?? root.id,
    parentId: root.id,
    text: '',
    extra: { type },
  })
}
