import { keepMedia, mediaOf, pull } from '../behaviour/media.ts'
import { followersOf, type Numbers, numbersBetween, numbersOf, sum } from '../behaviour/metrics.ts'
import { grantFor, ownProfile } from '../graph/access.ts'
import { listMessages } from '../graph/messages.ts'
import { badParameter, listing, node, refuse, timeOf, unknownObject } from '../graph/responses.ts'
import { type Call, flagOf, numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { graphId } from '../state/ids.ts'
import { nameParts, newestFirst, record, remove, seenPerson, threadOf } from '../state/items.ts'
import type { Item, Person, Profile } from '../state/rows.ts'

import { me } from './login.ts'
import { commentPushed } from './push.ts'
import { commentDefaults, commentShape, pageShape, postDefaults, postShape, postsOf, videoShape } from './shapes.ts'

/** GET /{id}: whatever stands under it. */
export function readNode(call: Call): Answer {
  const grant = grantFor(call)
  const id = call.params.id ?? ''
  const page = call.world.profile('Facebook', id)
  if (page) return node(call, pageShape(call, page), 'id,name')
  const media = mediaOf(call.world, 'Facebook', id)
  if (media && media.profile !== grant.profile) unknownObject(id)
  if (media) return node(call, videoShape(call, media, call.world.items.live('Facebook', id)), 'id')
  const person = seenPerson(call.world, 'Facebook', id)
  if (person) return node(call, personShape(call, person), 'id,name,first_name,last_name')
  const { item } = target(call)
  if (item.kind === 'comment') return node(call, commentShape(call, item), commentDefaults)
  return node(call, postShape(call, item), postDefaults)
}

export function readMe(call: Call): Answer {
  const found = me(call)
  return 'status' in found ? found : node(call, pageShape(call, found), 'id,name')
}

/** GET /{page}/posts, /feed and /published_posts. */
export function listPosts(call: Call): Answer {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_read_engagement')
  return listing(call, within(call, postsOf(call, page)), (post) => postShape(call, post), postDefaults)
}

export function listTagged(call: Call): Answer {
  const page = ownProfile(call, 'Facebook', call.params.id ?? '', 'pages_read_user_content')
  const mentions = newestFirst(call.world.items.ofProfile('Facebook', page.id, 'mention'))
  return listing(call, within(call, mentions), (post) => postShape(call, post), 'id,message,tagged_time')
}

export function readInsights(call: Call): Answer {
  const page = call.world.profile('Facebook', call.params.id ?? '')
  return page ? pageInsights(call, page) : postInsights(call)
}

/** GET /{conversation}/messages. */
export function readThread(call: Call): Answer {
  const thread = threadOf(call.world, 'Facebook', call.params.id ?? '')
  if (!thread) unknownObject(call.params.id ?? '')
  ownProfile(call, 'Facebook', thread.profile, 'pages_messaging')
  return listMessages(call, thread)
}

/** Whoever wrote to the page can be asked for by the id of the message. */
function personShape(call: Call, { id, name }: Person) {
  const { first, last } = nameParts(name)
  const picture = `${call.origin}/facebook/profiles/${id}/picture`
  return { id, name, first_name: first, last_name: last, profile_pic: picture }
}

function within(call: Call, items: Item[]): Item[] {
  const since = (numberOf(call, 'since') ?? 0) * 1000
  const until = (numberOf(call, 'until') ?? Number.POSITIVE_INFINITY) * 1000
  return items.filter(({ at }) => at >= since && at <= until)
}

/** The post, comment or mention a path names, and the page it belongs to; the token must be that page's. */
function target(call: Call, ...scopes: string[]): { item: Item; page: Profile } {
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

const postMetrics: Record<string, (numbers: Numbers) => unknown> = {
  post_media_view: ({ views }) => views,
  post_total_media_view_unique: ({ reach }) => reach,
  post_clicks: ({ clicks }) => clicks,
  post_clicks_by_type: ({ clicks }) => ({ 'link clicks': clicks }),
  post_reactions_by_type_total: ({ likes }) => ({ like: likes }),
  post_reactions_like_total: ({ likes }) => likes,
  post_video_views: ({ views }) => views,
}

const pageMetrics: Record<string, (numbers: Numbers) => number> = {
  page_media_view: ({ views }) => views,
  page_total_media_view_unique: ({ reach }) => reach,
  page_post_engagements: ({ likes, comments, shares, clicks }) => likes + comments + shares + clicks,
}

/** GET /{post}/insights: totals since the post went out. */
function postInsights(call: Call): Answer {
  const { item } = target(call, 'read_insights')
  const numbers = numbersOf(call.world, item)
  return json({
    data: asked(call, Object.keys(postMetrics)).map((name) => {
      return {
        id: `${item.id}/insights/${name}/lifetime`,
        name,
        period: 'lifetime',
        values: [{ value: postMetrics[name]?.(numbers) }],
      }
    }),
  })
}

/** GET /{page}/insights: one value per day, the last two days unless `since` and `until` say otherwise. */
function pageInsights(call: Call, page: Profile): Answer {
  ownProfile(call, 'Facebook', page.id, 'read_insights')
  const names = asked(call, [...Object.keys(pageMetrics), 'page_daily_follows', 'page_follows'])
  const until = (numberOf(call, 'until') ?? call.world.clock.now() / 1000) * 1000
  const since = (numberOf(call, 'since') ?? until / 1000 - 2 * 86_400) * 1000
  const days = Array.from({ length: Math.min(93, Math.max(1, Math.ceil((until - since) / day))) }, (_, index) => {
    return { from: since + index * day, to: Math.min(until, since + (index + 1) * day) }
  })
  const posts = postsOf(call, page)
  return json({
    data: names.map((name) => ({
      id: `${page.id}/insights/${name}/day`,
      name,
      period: 'day',
      values: days.map(({ from, to }) => ({
        value: dayValue(call, page, posts, name, from, to),
        end_time: timeOf(to),
      })),
    })),
  })
}

function dayValue(call: Call, page: Profile, posts: Item[], name: string, from: number, to: number): number {
  if (name === 'page_follows') return followersOf(call.world, page, to)
  if (name === 'page_daily_follows') return followersOf(call.world, page, to) - followersOf(call.world, page, from)
  const numbers = sum(posts.map((post) => numbersBetween(call.world, post, from, to)))
  return pageMetrics[name]?.(numbers) ?? 0
}

/** One name the API does not know, or knows no more, spoils the whole call. */
function asked(call: Call, known: string[]): string[] {
  const names = (textOf(call, 'metric') ?? '').split(',').filter(Boolean)
  const isUnknown = names.some((name) => !known.includes(name))
  if (!names.length || isUnknown) badParameter('The value must be a valid insights metric')
  return names
}
