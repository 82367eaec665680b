import type { Actor, Metrics, Person } from '../connector/connector.ts'
import type { Json } from '../http/json.ts'
import { ifAllowed, type LinkedInClient, requestList, requestObject } from './client.ts'
import { followersOf, memberFollowers, memberOf, pageOf } from './directory.ts'
import { at, encoded, listAt, listOf, numberAt, textAt, urnOf } from './fields.ts'

export async function profile(
  client: LinkedInClient,
  actor: Actor,
): Promise<Person & { followers?: number | undefined }> {
  const [person, followers] =
    actor.kind === 'page'
      ? await Promise.all([pageOf(client, actor, actor.remoteId), followersOf(client, actor, urnOf(actor))])
      : await Promise.all([memberOf(client, actor), memberFollowers(client, actor)])
  return { ...person, followers }
}

export async function metrics(
  client: LinkedInClient,
  actor: Actor,
  postIds: readonly string[],
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let from = 0; from < postIds.length; from += postsPerCall) {
    const some = postIds.slice(from, from + postsPerCall)
    const shown = actor.kind === 'page' ? await ifAllowed(ofPage(client, actor, some)) : undefined
    // Members who don't administer a page see as much of its posts as of their own.
    const numbers = shown ?? (await socialMetrics(client, actor, some))
    for (const [id, values] of numbers) found.set(id, values)
  }
  return found
}

async function ofPage(client: LinkedInClient, actor: Actor, ids: readonly string[]): Promise<[string, Metrics][]> {
  const kinds = [
    ['ugcPosts', ids.filter(isUgcPost)],
    ['shares', ids.filter((id) => !isUgcPost(id))],
  ] as const
  const base = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${encoded(urnOf(actor))}`
  const pages = await Promise.all(
    kinds
      .filter(([, some]) => some.length)
      .map(([name, some]) => requestList(client, actor, `${base}&${name}=${listOf(some)}`, { count: postsPerCall })),
  )
  return pages.flatMap(({ elements }) => elements).map((element) => [postOf(element), statisticsOf(element)])
}

const postOf = (element: Json) => textAt(element, 'ugcPost') ?? textAt(element, 'share') ?? ''

function statisticsOf(element: Json): Metrics {
  const total = at(element, 'totalShareStatistics')
  return {
    impressions: numberAt(total, 'impressionCount'),
    reach: numberAt(total, 'uniqueImpressionsCount'),
    clicks: numberAt(total, 'clickCount'),
    likes: numberAt(total, 'likeCount'),
    comments: numberAt(total, 'commentCount'),
    shares: numberAt(total, 'shareCount'),
  }
}

/** Likes and comments of all posts in one request; the other metrics need a scope few apps have, and one request per post. */
async function socialMetrics(
  client: LinkedInClient,
  actor: Actor,
  ids: readonly string[],
): Promise<[string, Metrics][]> {
  const counted = await socialMetadata(client, actor, ids)
  return Promise.all(
    [...counted].map(async ([id, counts]): Promise<[string, Metrics]> => {
      const reactions = Object.values((at(counts, 'reactionSummaries') ?? {}) as { [type: string]: Json })
      const likes = reactions.reduce<number>((sum, one) => sum + (numberAt(one, 'count') ?? 0), 0)
      const comments = numberAt(counts, 'commentSummary', 'count')
      return [id, { likes, comments, ...(await analyticsOf(client, actor, id)) }]
    }),
  )
}

/** Reactions and comments: all posts in one request, or one by one where the app isn't allowed to batch. */
export async function socialMetadata(
  client: LinkedInClient,
  actor: Actor,
  ids: readonly string[],
): Promise<Map<string, Json>> {
  const body = await ifAllowed(requestObject(client, actor, `/rest/socialMetadata?ids=${listOf(ids)}`))
  const found = new Map<string, Json>()
  for (const id of ids) {
    const counts = body
      ? at(body, 'results', id)
      : await ifAllowed(requestObject(client, actor, `/rest/socialMetadata/${encoded(id)}`))
    if (counts !== undefined) found.set(id, counts)
  }
  return found
}

async function analyticsOf(client: LinkedInClient, actor: Actor, id: string): Promise<Metrics> {
  if (actor.kind === 'page' || !actor.secret.scopes.includes('r_member_postAnalytics')) return {}
  const entity = `(${isUgcPost(id) ? 'ugc' : 'share'}:${encoded(id)})`
  const numbers: Metrics = {}
  for (const [name, type] of memberMetrics) {
    const path = `/rest/memberCreatorPostAnalytics?q=entity&entity=${entity}&queryType=${type}&aggregation=TOTAL`
    const count = numberAt(listAt(await ifAllowed(requestObject(client, actor, path), 'input'), 'elements')[0], 'count')
    if (count !== undefined) numbers[name] = count
  }
  return numbers
}

const memberMetrics = [
  ['impressions', 'IMPRESSION'],
  ['reach', 'MEMBERS_REACHED'],
  ['shares', 'RESHARE'],
  ['clicks', 'LINK_CLICKS'],
  ['saves', 'POST_SAVE'],
] as const

const isUgcPost = (id: string) => id.startsWith('urn:li:ugcPost:')

const postsPerCall = 50
