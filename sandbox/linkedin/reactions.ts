import { numbersOf } from '../behaviour/growth.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { record, remove } from '../state/deeds.ts'
import type { Item, Profile } from '../state/rows.ts'
import { actor, grantFor, requireBatches } from './access.ts'
import { target } from './comments.ts'
import { badField, refuse } from './refusals.ts'
import { listed, urnOf } from './urns.ts'

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
