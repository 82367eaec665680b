import {
  type Actor,
  type Connector,
  type Grant,
  type Metrics,
  manifestRules,
  NetworkError,
  type Person,
  type Secret,
} from '../connector/connector.ts'
import { scopesOf } from '../connector/manifest.ts'
import type { AppSetup, NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { isPermanentError, request } from '../graph/client.ts'
import { checkApp, dialogUrl, inspectToken, openPages } from '../graph/facebook-login.ts'
import { type Graph, graphErrors, graphVersions, listAt, numberAt, textAt } from '../graph/graph.ts'
import { type Insights, openInsights, readMetrics } from '../graph/insights.ts'
import { registerCallback, subscribeProfile, verify, webhookSetup } from '../graph/push.ts'
import type { Json } from '../http/json.ts'
import { fetchComments, fetchInbox, fetchStream, pushFields, readEntry } from './activities.ts'
import { manifest } from './manifest.ts'
import { findPost, publish } from './publishing.ts'
import { findMessage, findReply, like, message, remove, reply } from './replies.ts'

export function openFacebook(app: NetworkApp, installation: NetworkInstallation): Connector {
  const graph: Graph = { network: 'Facebook', app, installation, errorMeanings: graphErrors, hasProof: true }
  const insights = openInsights(graph, postMetrics)
  return {
    ...manifestRules(manifest, app),
    authorizeUrl: (login) => dialogUrl(graph, login, scopesOf(manifest, app)),
    exchangeCode: (login) => exchangeCode(graph, login),
    refreshToken,
    checkApp: () => checkApp(graph),
    inspectToken: (actor) => inspectToken(graph, actor),
    publish: (actor, draft, save, progress) => publish(graph, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(graph, actor, draft, since, progress),
    reply: (actor, to, text, media) => reply(graph, actor, to, text, media),
    findReply: (actor, to, text, since) => findReply(graph, actor, to, text, since),
    message: (actor, to, text, media) => message(graph, actor, to, text, media),
    findMessage: (actor, to, text, since) => findMessage(graph, actor, to, text, since),
    like: (actor, to) => like(graph, actor, to),
    remove: (actor, remoteId) => remove(graph, actor, remoteId),
    metrics: (actor, postIds) => readMetrics(postIds, (id) => metricsOf(graph, insights, actor, id)),
    profile: (actor) => profile(graph, actor),
    fetchStream: (actor, query, cursor) => fetchStream(graph, actor, query, cursor),
    fetchComments: (actor, postId, cursor) => fetchComments(graph, actor, postId, cursor),
    fetchInbox: (actor, cursor) => fetchInbox(graph, actor, cursor),
    webhookSetup: (callback) => webhookSetup(app, callback, { fields: pushFields, isEntered: false }),
    async subscribePush(actor, callback) {
      await registerCallback(graph, callback, 'page', pushFields)
      await subscribeProfile(graph, actor, pushFields)
      return {}
    },
    verifyPush: (request) => verify(app, request, 'page', readEntry),
  }
}

export const setup: AppSetup = {
  versions: graphVersions,
  scopeUses: {
    pages_show_list: 'listing Pages to connect',
    pages_manage_posts: 'publishing and deleting posts',
    pages_read_engagement: 'reading own posts, streams, finding a post whose response was lost',
    pages_manage_engagement: 'comments, replies and likes',
    pages_read_user_content: 'reading comments and mentions',
    read_insights: 'metrics',
    pages_messaging: 'messages',
    pages_manage_metadata: 'webhooks',
    business_management: 'Pages that only a business portfolio gives access to',
  },
  review:
    'With standard access the app works for people with a role on it. Pages of others need advanced access for each permission: App Review, business verification and a screencast of each permission in use.',
}

/** The pages a person manages, each with its own token. */
async function exchangeCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const fields = 'id,name,username,access_token,tasks,picture{url}'
  const { pages, personId, scopes: granted, expiresAt } = await openPages(graph, login, fields)
  return pages.map((page): Grant => {
    const name = textAt(page, 'name') ?? ''
    return {
      network: 'Facebook',
      kind: 'page',
      remoteId: textAt(page, 'id') ?? '',
      username: textAt(page, 'username') ?? name,
      name,
      picture: textAt(page, 'picture', 'data', 'url'),
      parentRemoteId: personId,
      secret: { accessToken: textAt(page, 'access_token') ?? '', scopes: usableScopes(granted, page), expiresAt },
    }
  })
}

/** Granted scopes that the person's tasks on the page allow; all of them if tasks aren't reported. */
function usableScopes(granted: readonly string[], page: Json): string[] {
  const tasks = listAt(page, 'tasks').map(String)
  return granted.filter((scope) => !tasks.length || !taskFor[scope] || tasks.includes(taskFor[scope]))
}

const taskFor: { readonly [scope: string]: string | undefined } = {
  pages_manage_posts: 'CREATE_CONTENT',
  pages_manage_engagement: 'MODERATE',
  pages_messaging: 'MESSAGING',
  read_insights: 'ANALYZE',
}

/** Page tokens can't be refreshed. */
async function refreshToken(): Promise<Secret> {
  const sentence = 'Facebook gives a new access to a page only when somebody logs in again.'
  throw new NetworkError('Facebook', { kind: 'token', remedy: 'reconnect' }, sentence)
}

/** Meta removes names from this list from time to time. */
const postMetrics = ['post_media_view', 'post_total_media_view_unique', 'post_clicks']

async function metricsOf(graph: Graph, insights: Insights, actor: Actor, id: string): Promise<Metrics | undefined> {
  const fields = 'shares,reactions.limit(0).summary(true),comments.limit(0).summary(true)'
  try {
    const counts = await request(graph, actor, { method: 'GET', path: id, query: { fields } })
    const numbers = await insights(actor, id, 'post')
    const views = numbers.get('post_media_view')
    return {
      // Meta replaced impressions with views.
      impressions: views,
      views,
      reach: numbers.get('post_total_media_view_unique'),
      clicks: numbers.get('post_clicks'),
      likes: numberAt(counts, 'reactions', 'summary', 'total_count'),
      comments: numberAt(counts, 'comments', 'summary', 'total_count'),
      shares: numberAt(counts, 'shares', 'count') ?? 0,
    }
  } catch (error) {
    if (isPermanentError(error, 'gone')) return undefined
    throw error
  }
}

async function profile(graph: Graph, actor: Actor): Promise<Person & { followers?: number | undefined }> {
  const fields = 'id,name,username,picture{url},followers_count,fan_count'
  const response = await request(graph, actor, { method: 'GET', path: actor.remoteId, query: { fields } })
  return {
    id: textAt(response, 'id') ?? actor.remoteId,
    name: textAt(response, 'name'),
    username: textAt(response, 'username'),
    picture: textAt(response, 'picture', 'data', 'url'),
    followers: numberAt(response, 'followers_count') ?? numberAt(response, 'fan_count'),
  }
}
