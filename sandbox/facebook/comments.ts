import { keepMedia, mediaOf, pull } from '../behaviour/media.ts'
import { grantFor, ownProfile } from '../graph/access.ts'
import { listing } from '../graph/listing.ts'
import { badParameter, refuse, unknownObject } from '../graph/refusals.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { flagOf, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import { record, remove } from '../state/deeds.ts'
import { graphId } from '../state/ids.ts'
import type { Item, Profile } from '../state/rows.ts'
import { commentPushed } from './push.ts'
import { commentDefaults, commentShape } from './shapes.ts'

/** The post, comment or mention a path names, and the page it belongs to; the token must be that page's. */
export function target(call: Call, ...scopes: string[]): { item: Item; page: Profile } {
  const grant = grantFor(call, ...scopes)
  const id = call.params.id ?? ''
  const item = call.world.items.live('Facebook', id) ?? call.world.items.live('Facebook', `${grant.profile}_${id}`)
  if (!item) unknownObject(id)
  return { item, page: ownProfile(call, 'Facebook', item.profile, ...scopes) }
}

export async function comment(call: Call): Promise<Answer> {
  const { item, page } = target(call, 'pages_manage_engagement')
  const message = textOf(call, 'message') ?? ''
  const picture = await attached(call, page)
  if (!message && !picture) badParameter('A comment needs a message or an attachment')
  if (message.length > limits.Facebook.comment) badParameter('param message is too long for a comment')
  const created = record(call.world, page, {
    id: `${(item.postId ?? item.id).split('_').at(-1)}_${graphId()}`,
    kind: 'comment',
    postId: item.postId ?? item.id,
    parentId: item.id,
    text: message,
    media: picture ? [picture] : [],
  })
  commentPushed(call.world, page, created)
  return json({ id: created.id })
}

export function listComments(call: Call): Answer {
  const { item } = target(call, 'pages_read_user_content')
  const all = textOf(call, 'filter') === 'stream' && item.postId === undefined
  const found = all
    ? call.world.items.inConversation(item).filter(({ kind }) => kind === 'comment')
    : call.world.items.under(item, 'comment')
  const ordered = textOf(call, 'order') === 'reverse_chronological' ? found.toReversed() : found
  const summary = flagOf(call, 'summary') ? { order: 'chronological', total_count: found.length } : undefined
  return listing(call, ordered, (row) => commentShape(call, row), commentDefaults, summary)
}

export function like(call: Call): Answer {
  const { item, page } = target(call, 'pages_manage_engagement')
  const known = call.world.items.under(item, 'like').some(({ own }) => own)
  // A second like of the same thing is no second like.
  if (!known) {
    record(call.world, page, {
      id: `like_${graphId()}`,
      kind: 'like',
      postId: item.postId ?? item.id,
      parentId: item.id,
      text: '',
    })
  }
  return json({ success: true })
}

export function unlike(call: Call): Answer {
  const { item } = target(call, 'pages_manage_engagement')
  for (const given of call.world.items.under(item, 'like')) if (given.own) remove(call.world, given)
  return json({ success: true })
}

export function removeNode(call: Call): Answer {
  const { item } = target(call)
  target(call, item.kind === 'post' ? 'pages_manage_posts' : 'pages_manage_engagement')
  remove(call.world, item)
  return json({ success: true })
}

/** POST /{id}: hides a comment, or changes the words of an own one. */
export function editNode(call: Call): Answer {
  const { item } = target(call, 'pages_manage_engagement')
  if (textOf(call, 'is_hidden') !== undefined) call.world.items.change(item, { hidden: flagOf(call, 'is_hidden') })
  const message = textOf(call, 'message')
  if (message !== undefined) {
    if (!item.own) refuse({ code: 200, message: '(#200) Only own words can be changed.', type: 'OAuthException' })
    call.world.items.change(item, { text: message, updatedAt: call.world.clock.now() })
  }
  return json({ success: true })
}

async function attached(call: Call, page: Profile): Promise<string | undefined> {
  const id = textOf(call, 'attachment_id')
  if (id !== undefined) {
    if (!mediaOf(call.world, 'Facebook', id)) badParameter(`attachment_id ${id} is unknown`)
    return id
  }
  const url = textOf(call, 'attachment_url')
  const bytes = call.files.source?.bytes ?? (url === undefined ? undefined : await pull(url))
  if (url !== undefined && !bytes) badParameter('attachment_url could not be fetched')
  if (!bytes) return undefined
  return keepMedia(call.world, { network: 'Facebook', id: graphId(), profile: page.id, bytes }).id
}
