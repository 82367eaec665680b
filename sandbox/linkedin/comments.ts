import { mediaOf } from '../behaviour/media.ts'
import { numbersOf } from '../behaviour/metrics.ts'
import { type Call, deepText, listOf, numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { limits, names } from '../manifests.ts'
import { record, remove } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { keyOf } from '../state/storage.ts'

import { actor, grantFor, requireBatches } from './access.ts'
import { urnOfAuthor } from './posts.ts'
import { badField, idOf, listed, missing, refuse, urnOf } from './protocol.ts'

/** POST /rest/socialActions/{urn}/comments: under a post, or under a top-level comment of it. */
export function comment(call: Call): Answer {
  const parent = target(call, call.params.urn)
  const by = actor(call, textOf(call, 'actor'), 'w_feed')
  const text = deepText(call, 'message', 'text') ?? ''
  const image = listOf(call, 'content').map((entry) => deepText(entry as object, 'entity', 'image'))[0]
  if (!text && !image) badField('/message/text', 'FIELD_REQUIRED', 'A comment needs text or an image', 400)
  if (text.length > limits.LinkedIn.comment) {
    badField('/message/text', 'FIELD_LENGTH_TOO_LONG', `A comment may have ${limits.LinkedIn.comment} characters`)
  }
  if (image !== undefined && !mediaOf(call.world, 'LinkedIn', image))
    badField('/content', 'INVALID_URN', 'Unknown image', 400)
  const isAnswer = parent.kind !== 'post' && parent.kind !== 'mention'
  if (isAnswer && parent.parentId !== parent.postId) {
    refuse(400, 'ILLEGAL_ARGUMENT', 'Only top-level comments can be answered')
  }
  if (isAnswer && textOf(call, 'parentComment') !== parent.id) {
    badField('/parentComment', 'FIELD_VALUE_INVALID', 'parentComment must be the comment in the path', 400)
  }
  const post = call.world.items.get(keyOf('LinkedIn', parent.postId ?? parent.id)) ?? parent
  const created = record(call.world, by, {
    id: names.LinkedIn.comment(post, parent),
    kind: 'comment',
    postId: post.id,
    parentId: parent.id,
    text,
    media: image === undefined ? [] : [image],
  })
  return json(commentShape(call, created), 201, { 'x-restli-id': numberIn(created.id) })
}

export function listComments(call: Call): Answer {
  grantFor(call, 'r_organization_social_feed', 'r_member_social_feed')
  const found = call.world.items.under(target(call, call.params.urn), 'comment')
  const start = numberOf(call, 'start') ?? 0
  const count = numberOf(call, 'count') ?? 10
  const elements = found.slice(start, start + count).map((row) => commentShape(call, row))
  return json({ elements, paging: { start, count, total: found.length, links: [] } })
}

/** DELETE /rest/socialActions/{urn}/comments/{number}?actor=. */
export function deleteComment(call: Call): Answer {
  grantFor(call)
  const found = call.world.items
    .inConversation(target(call, call.params.urn))
    .find(({ id, kind }) => kind === 'comment' && numberIn(id) === call.params.number)
  if (!found) missing('the comment')
  remove(call.world, found)
  return { status: 204 }
}

function commentShape(call: Call, row: Item) {
  const post = call.world.items.get(keyOf('LinkedIn', row.postId ?? ''))
  const time = { time: row.at }
  return {
    id: numberIn(row.id),
    $URN: row.id,
    commentUrn: row.id,
    actor: urnOfAuthor(call, row),
    object: post?.alias ?? row.postId,
    message: { text: row.text, attributes: [] },
    created: { ...time, actor: urnOfAuthor(call, row) },
    lastModified: time,
    ...(row.media.length ? { content: row.media.map((image) => ({ type: 'IMAGE', entity: { image } })) } : {}),
    ...(row.parentId === row.postId ? {} : { parentComment: row.parentId }),
    likesSummary: { totalLikes: call.world.items.under(row, 'like').length, selectedLikes: [] },
    commentsSummary: { aggregatedTotalComments: call.world.items.under(row, 'comment').length },
  }
}

function target(call: Call, urn: string | undefined): Item {
  const item = call.world.items.live('LinkedIn', urn ?? '')
  if (!item) missing(`the entity ${urn}`)
  return item
}

const numberIn = (urn: string) => idOf(/,(\d+)\)$/.exec(urn)?.[1] ?? urn)

const reactions = ['LIKE', 'PRAISE', 'EMPATHY', 'INTEREST', 'APPRECIATION', 'ENTERTAINMENT']

/** POST /rest/reactions?actor= and POST /rest/socialActions/{urn}/likes. */
export function react(call: Call): Answer {
  const by = actor(call, textOf(call, 'actor'), 'w_feed')
  const root = target(call, textOf(call, 'root') ?? textOf(call, 'object') ?? call.params.urn)
  const type = textOf(call, 'reactionType') ?? 'LIKE'
  if (!reactions.includes(type)) badField('/reactionType', 'FIELD_VALUE_INVALID', `Unknown reaction ${type}`, 400)
  const known = call.world.items.under(root, 'like').find(({ own, from }) => own && from.id === by.id)
  if (known) refuse(409, 'CONFLICT', 'The actor has already reacted')
  const like = given(call, by, root, type)
  return json({ id: like.id, reactionType: type, root: root.id }, 201, { 'x-restli-id': like.id })
}

export function unreact(call: Call): Answer {
  grantFor(call)
  const key = call.params.key ?? ''
  const from = key.indexOf('entity:urn:li:')
  const entity = from >= 0 && key.endsWith(')') ? key.slice(from + 'entity:'.length, -1) : undefined
  for (const like of call.world.items.under(target(call, entity), 'like')) if (like.own) remove(call.world, like)
  return { status: 204 }
}

/** GET /rest/socialMetadata/{urn}. */
export function socialMetadata(call: Call): Answer {
  grantFor(call)
  return json(metadata(call, target(call, call.params.urn)))
}

/** GET /rest/socialMetadata?ids=List(…): what is missing is named among the errors. */
export function socialMetadataOf(call: Call): Answer {
  requireBatches(call)
  const urns = listed(textOf(call, 'ids'))
  const found = urns.map((urn) => [urn, call.world.items.live('LinkedIn', urn)] as const)
  const results = found.flatMap(([urn, item]) => (item ? [[urn, metadata(call, item)]] : []))
  const errors = found.flatMap(([urn, item]) => (item ? [] : [[urn, { status: 404, message: 'Not found' }]]))
  return json({ results: Object.fromEntries(results), errors: Object.fromEntries(errors), statuses: {} })
}

function metadata(call: Call, item: Item) {
  const { likes, comments } = numbersOf(call.world, item)
  const top = call.world.items.under(item, 'comment').length
  return {
    entity: item.id,
    commentSummary: { count: comments, topLevelCount: top },
    reactionSummaries: { LIKE: { reactionType: 'LIKE', count: likes } },
    commentsState: 'OPEN',
  }
}

function given(call: Call, by: Profile, root: Item, type: string): Item {
  const id = `urn:li:reaction:(${urnOf(by)},${root.alias ?? root.id})`
  return record(call.world, by, {
    id,
    kind: 'like',
    postId: root.postId ?? root.id,
    parentId: root.id,
    text: '',
    extra: { type },
  })
}
