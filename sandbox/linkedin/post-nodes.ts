import { type Answer, type Call, json } from '../http/call.ts'
import { deepText, numberOf, textOf } from '../http/fields.ts'
import { newestFirst, remove } from '../state/deeds.ts'
import type { Item } from '../state/rows.ts'
import { actor, grantFor } from './access.ts'
import { readable } from './little-text.ts'
import { badField, missing } from './refusals.ts'
import { urnOf } from './urns.ts'

/** X-RestLi-Method: PARTIAL_UPDATE changes the words. */
export function editPost(call: Call): Answer {
  const post = ownPost(call)
  const commentary = deepText(call, 'patch', '$set', 'commentary')
  if (commentary === undefined) badField('/patch', 'FIELD_REQUIRED', 'patch.$set.commentary is required', 400)
  const extra = { ...post.extra, commentary }
  call.world.items.change(post, { text: readable(commentary), extra, updatedAt: call.world.clock.now() })
  return { status: 204 }
}

/** DELETE of what is not there any more is as good as the first. */
export function deletePost(call: Call): Answer {
  grantFor(call)
  const post = call.world.items.live('LinkedIn', call.params.urn ?? '')
  if (post) {
    actor(call, urnOfAuthor(call, post))
    remove(call.world, post)
  }
  return { status: 204 }
}

export function readPost(call: Call): Answer {
  return json(postShape(call, ownPost(call, 'r')))
}

/** GET /rest/posts?q=author. */
export function listPosts(call: Call): Answer {
  const author = actor(call, textOf(call, 'author'), 'r')
  const start = numberOf(call, 'start') ?? 0
  const count = Math.min(numberOf(call, 'count') ?? 10, 100)
  const posts = newestFirst(call.world.items.ofProfile('LinkedIn', author.id, 'post'))
  const elements = posts.slice(start, start + count).map((post) => postShape(call, post))
  return json({ elements, paging: { start, count, total: posts.length, links: [] } })
}

function postShape(call: Call, post: Item) {
  return {
    id: post.id,
    author: urnOfAuthor(call, post),
    commentary: post.extra?.commentary ?? post.text,
    visibility: post.extra?.visibility ?? 'PUBLIC',
    lifecycleState: 'PUBLISHED',
    createdAt: post.at,
    publishedAt: post.at,
    lastModifiedAt: post.updatedAt ?? post.at,
    isReshareDisabledByAuthor: false,
    distribution: {
      feedDistribution: 'MAIN_FEED',
      targetEntities: post.extra?.targetEntities ?? [],
      thirdPartyDistributionChannels: [],
    },
    ...(Object.keys((post.extra?.content as object | undefined) ?? {}).length ? { content: post.extra?.content } : {}),
    ...(post.extra?.reshareOf ? { reshareContext: { parent: post.extra.reshareOf } } : {}),
  }
}

function ownPost(call: Call, right: 'w' | 'r' = 'w'): Item {
  grantFor(call)
  const post = call.world.items.live('LinkedIn', call.params.urn ?? '')
  if (!post) missing(`the post ${call.params.urn}`)
  actor(call, urnOfAuthor(call, post), right)
  return post
}

export function urnOfAuthor(call: Call, item: Item): string {
  const profile = item.own ? call.world.profile('LinkedIn', item.profile) : undefined
  return profile ? urnOf(profile) : `urn:li:person:${item.from.id}`
}
