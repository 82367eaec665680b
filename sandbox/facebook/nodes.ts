import { mediaOf } from '../behaviour/media.ts'
import { grantFor, ownProfile } from '../graph/access.ts'
import { listing, node } from '../graph/listing.ts'
import { listMessages } from '../graph/messages.ts'
import { unknownObject } from '../graph/refusals.ts'
import type { Answer, Call } from '../http/call.ts'
import { numberOf } from '../http/fields.ts'
import { newestFirst } from '../state/deeds.ts'
import { nameParts, seenPerson } from '../state/people.ts'
import type { Item, Person } from '../state/rows.ts'
import { threadOf } from '../state/threads.ts'
import { target } from './comments.ts'
import { pageInsights, postInsights } from './insights.ts'
import { me } from './login.ts'
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
