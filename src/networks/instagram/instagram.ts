import type { AppSetup } from '../connector/app-setup.ts'
import { type Connector, described } from '../connector/connector.ts'
import { unsupported } from '../connector/fault.ts'
import { scopesOf } from '../connector/manifest.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { withoutMessages } from '../content/draft-check.ts'
import { checkApp, dialogUrl, inspectToken } from '../graph/facebook-login.ts'
import { type Graph, graphVersions } from '../graph/graph.ts'
import { openInsights, readMetrics } from '../graph/insights.ts'
import { subscribeProfile, verify, webhookSetup } from '../graph/push.ts'
import { findReply, postOfComment, remove, reply } from './comments.ts'
import { findPost } from './finding.ts'
import {
  authorizeUrl,
  exchangeCode,
  exchangePageCode,
  inspectOwnToken,
  refreshPageToken,
  refreshToken,
  subscribePage,
} from './login.ts'
import { manifest } from './manifest.ts'
import { instagramMeanings } from './meanings.ts'
import { mediaMetrics, metricsOf, profile } from './numbers.ts'
import { publish } from './publishing.ts'
import { pushFields, readEntry } from './push.ts'
import { fetchComments, fetchInbox, fetchStream } from './reading.ts'

/** Instagram's professional accounts: through its own login, or with the option `login: facebook` through their pages. */
export function openInstagram(app: NetworkApp, installation: NetworkInstallation): Connector {
  const throughPage = app.options.login === 'facebook'
  const graph: Graph = { network: 'Instagram', app, installation, meanings: instagramMeanings, hasProof: throughPage }
  const insights = openInsights(graph, mediaMetrics)
  return {
    ...described(manifest, app),
    authorizeUrl: (login) =>
      throughPage ? dialogUrl(graph, login, scopesOf(manifest, app)) : authorizeUrl(graph, login),
    exchangeCode: (login) => (throughPage ? exchangePageCode(graph, login) : exchangeCode(graph, login)),
    refreshToken: (actor) => (throughPage ? refreshPageToken() : refreshToken(graph, actor)),
    // The id and secret of Instagram's own login are accepted by no call without a person.
    ...(throughPage && { checkApp: () => checkApp(graph) }),
    inspectToken: (actor) => (throughPage ? inspectToken(graph, actor) : inspectOwnToken(graph, actor)),
    publish: (actor, draft, save, progress) => publish(graph, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(graph, actor, draft, since, progress),
    // Instagram takes no pictures in comments.
    reply: (actor, to, text) => reply(graph, actor, to, text),
    findReply: (actor, to, text, since) => findReply(graph, actor, to, text, since),
    ...withoutMessages('Instagram'),
    like: async () => {
      throw unsupported('Instagram', manifest.missing?.like ?? '')
    },
    remove: (actor, remoteId) => remove(graph, actor, remoteId),
    metrics: (actor, postIds) => readMetrics(postIds, (id) => metricsOf(graph, insights, actor, id)),
    profile: (actor) => profile(graph, actor),
    fetchStream: (actor, query, cursor) => fetchStream(graph, actor, query, cursor),
    fetchComments: (actor, postId, cursor) => fetchComments(graph, actor, postId, cursor),
    fetchInbox: (actor, cursor) => fetchInbox(graph, actor, cursor),
    // The address itself is entered in the app's dashboard.
    webhookSetup: (callback) => webhookSetup(app, callback, { fields: pushFields, isEntered: true }),
    async subscribePush(actor) {
      await (throughPage ? subscribePage(graph, actor) : subscribeProfile(graph, actor, pushFields))
      return {}
    },
    postOfComment: (actor, commentId) => postOfComment(graph, actor, commentId),
    verifyPush: (request) => verify(app, request, 'instagram', readEntry),
  }
}

/** What is known about registering an app with Instagram. */
export const setup: AppSetup = {
  versions: graphVersions,
  scopeUses: {
    instagram_business_basic: 'the account and its posts',
    instagram_business_content_publish: 'publishing',
    instagram_business_manage_comments: 'reading and writing comments',
    instagram_business_manage_insights: 'metrics',
    instagram_basic: 'the account and its posts',
    instagram_content_publish: 'publishing',
    instagram_manage_comments: 'reading and writing comments',
    instagram_manage_insights: 'metrics',
    instagram_manage_contents: 'deleting posts',
    pages_show_list: 'finding accounts behind Pages',
    pages_read_engagement: 'finding accounts behind Pages',
    pages_manage_metadata: 'webhooks',
    business_management: 'Pages that only a business portfolio gives access to',
  },
  review:
    'With standard access the app works for accounts that are testers of it. Accounts of others, and pushed comments, need advanced access: App Review and business verification.',
}
