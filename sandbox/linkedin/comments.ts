import { mediaOf } from '../behaviour/media.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { deepText, listOf, numberOf, textOf } from '../http/fields.ts'
import { limits, names } from '../manifests.ts'
import { record, remove } from '../state/deeds.ts'
import { keyOf } from '../state/items.ts'
import type { Item } from '../state/rows.ts'
import { actor, grantFor } from './access.ts'
import { urnOfAuthor } from './post-nodes.ts'
import { badField, missing, refuse } from './refusals.ts'
import { idOf } from './urns.ts'

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

export function commentShape(call: Call, row: Item) {
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

export function target(call: Call, urn: string | undefined): Item {
  const item = call.world.items.live('LinkedIn', urn ?? '')
  if (!item) missing(`the entity ${urn}`)
  return item
}

const numberIn = (urn: string) => idOf(/,(\d+)\)$/.exec(urn)?.[1] ?? urn)
