import type { Actor, Metrics, Person } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import { idIn, type XClient } from './client.ts'
import { dataOf, type Listing, listingOf, type XPost, type XUser } from './responses.ts'

const batchSize = 100
/** The second kind exists for own posts of the last thirty days only. */
const publicFields = 'public_metrics'
const allFields = 'public_metrics,non_public_metrics'
const fieldRejections = ['not-authorized-for-field', 'field-unauthorized']

export async function readMetrics(
  client: XClient,
  actor: Actor,
  postIds: readonly string[],
): Promise<Map<string, Metrics>> {
  const found = new Map<string, Metrics>()
  for (let from = 0; from < postIds.length; from += batchSize) {
    const ids = postIds.slice(from, from + batchSize)
    const { data = [], errors = [] } = await readPosts(client, actor, ids, allFields)
    const rejectedFields = errors.filter(({ type }) => fieldRejections.some((name) => type?.endsWith(name)))
    const returned = new Set(data.map(({ id }) => id))
    const again = ids.filter(
      (id) => !returned.has(id) && rejectedFields.some((error) => (error.resource_id ?? error.value) === id),
    )
    const rest = again.length > 0 ? await readPosts(client, actor, again, publicFields) : {}
    for (const post of [...data, ...(rest.data ?? [])]) found.set(post.id, metricsIn(post))
  }
  return found
}

export async function readProfile(client: XClient, actor: Actor): Promise<Person & { followers?: number | undefined }> {
  const { tier: _, ...profile } = await readOwner(client, actor)
  return profile
}

/** The account with its owner's subscription: any of them allows long posts. */
export async function readOwner(client: XClient, actor: Actor) {
  const query = { 'user.fields': 'name,username,profile_image_url,public_metrics,subscription_type' }
  const response = await client.as(actor, { method: 'GET', path: '/users/me', query })
  const { name, username, profile_image_url: picture, public_metrics, subscription_type } = dataOf<XUser>(response)
  const tier = subscriptions.includes(subscription_type ?? '') ? 'premium' : undefined
  return { id: idIn(response, 'id'), name, username, picture, followers: public_metrics?.followers_count, tier }
}

const subscriptions = ['Basic', 'Premium', 'PremiumPlus']

async function readPosts(
  client: XClient,
  actor: Actor,
  ids: readonly string[],
  fields: string,
): Promise<Listing<XPost>> {
  try {
    const query = { ids: ids.join(','), 'tweet.fields': fields }
    return listingOf(await client.as(actor, { method: 'GET', path: '/tweets', query }))
  } catch (error) {
    // None of the posts is available: status 200 with errors only.
    if (error instanceof NetworkError && error.remote.status === 200) return {}
    throw error
  }
}

function metricsIn({ public_metrics: shown = {}, non_public_metrics: own = {} }: XPost): Metrics {
  const reposts = shown.retweet_count ?? shown.repost_count
  return {
    impressions: own.impression_count ?? shown.impression_count,
    likes: shown.like_count,
    comments: shown.reply_count,
    shares: reposts === undefined ? undefined : reposts + (shown.quote_count ?? 0),
    clicks: own.url_link_clicks,
    saves: shown.bookmark_count,
  }
}
