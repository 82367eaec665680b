import { grantFor } from '../graph/access.ts'
import { listing } from '../graph/listing.ts'
import { badParameter, refuse, unknownObject } from '../graph/refusals.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { flagOf, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import { newestFirst, record, remove } from '../state/deeds.ts'
import { graphId } from '../state/ids.ts'
import type { Item, Profile } from '../state/rows.ts'
import { account, target } from './access.ts'
import { commentPushed } from './push.ts'
import { commentDefaults, commentShape } from './shapes.ts'

/** POST /{media}/comments. */
export function comment(call: Call): Answer {
  const { item, owner } = target(call, 'manage_comments')
  refuseForeign(call, item)
  if (item.kind !== 'post') badParameter('Comments go under media; answers to comments go to /replies')
  return json({ id: say(call, owner, item).id })
}

/** POST /{comment}/replies: under a top-level comment; an answer to an answer lands beside it. */
export function reply(call: Call): Answer {
  const { item, owner } = target(call, 'manage_comments')
  refuseForeign(call, item)
  if (item.kind === 'post') badParameter('Only comments have replies')
  const top = item.parentId === item.postId ? item : call.world.items.live('Instagram', item.parentId ?? '')
  return json({ id: say(call, owner, top ?? item).id })
}

/** POST /{ig}/mentions: an answer under somebody else's words that named the account. */
export function answerMention(call: Call): Answer {
  const owner = account(call, 'manage_comments')
  const id = textOf(call, 'comment_id') ?? textOf(call, 'media_id') ?? ''
  const mention = call.world.items.live('Instagram', id)
  if (mention?.kind !== 'mention') unknownObject(id)
  return json({ id: say(call, owner, mention).id })
}

export function listComments(call: Call): Answer {
  const { item } = target(call, 'manage_comments')
  refuseForeign(call, item)
  const comments = newestFirst(call.world.items.under(item, 'comment'))
  return listing(call, comments, (row) => commentShape(call, row), commentDefaults)
}

export function editComment(call: Call): Answer {
  const { item } = target(call, 'manage_comments')
  call.world.items.change(item, { hidden: flagOf(call, 'hide') })
  return json({ success: true })
}

/** DELETE: comments through either login, posts only through Facebook's. */
export function removeNode(call: Call): Answer {
  const { item } = target(call, 'basic')
  const needed = item.kind === 'post' ? 'instagram_manage_contents' : undefined
  if (needed && !grantFor(call).scopes.includes(needed)) {
    refuse({ code: 10, message: '(#10) The app may not delete media with this login.', type: 'OAuthException' })
  }
  remove(call.world, item)
  return json({ success: true })
}

/** Posts of others, and what is said under them, are reached as mentions only. */
function refuseForeign(call: Call, item: Item) {
  const post = item.postId === undefined ? item : call.world.items.live('Instagram', item.postId)
  if (!post?.own) unknownObject(item.id)
}

function say(call: Call, owner: Profile, parent: Item): Item {
  const text = textOf(call, 'message') ?? ''
  if (!text) badParameter('The parameter message is required')
  if (text.length > limits.Instagram.comment) badParameter('The comment is too long')
  const postId = parent.postId ?? parent.id
  const created = record(call.world, owner, { id: graphId(), kind: 'comment', postId, parentId: parent.id, text })
  commentPushed(call.world, owner, created)
  return created
}
