import type { AppSetup } from '../connector/app-setup.ts'
import { type Connector, described } from '../connector/connector.ts'
import { scopesOf } from '../connector/manifest.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { checkApp, dialogUrl, inspectToken } from '../graph/facebook-login.ts'
import { type Graph, graphMeanings, graphVersions } from '../graph/graph.ts'
import { openInsights, readMetrics } from '../graph/insights.ts'
import { registerCallback, subscribeProfile, verify, webhookSetup } from '../graph/push.ts'
import { findReply, like, remove, reply } from './comments.ts'
import { findPost } from './finding.ts'
import { exchangeCode, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { findMessage, message } from './messages.ts'
import { metricsOf, postMetrics, profile } from './numbers.ts'
import { publish } from './publishing.ts'
import { pushFields, readEntry } from './push.ts'
import { fetchComments, fetchInbox, fetchStream } from './reading.ts'

/** Facebook Pages. */
export function openFacebook(app: NetworkApp, installation: NetworkInstallation): Connector {
  const graph: Graph = { network: 'Facebook', app, installation, meanings: graphMeanings, hasProof: true }
  const insights = openInsights(graph, postMetrics)
  return {
    ...described(manifest, app),
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

/** What is known about registering an app with Facebook. */
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
