import {
  type Actor,
  type Connector,
  type Metrics,
  manifestRules,
  type Person,
  unsupported,
} from '../connector/connector.ts'
import { scopesOf } from '../connector/manifest.ts'
import type { AppSetup, NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { withoutMessages } from '../content/draft-check.ts'
import { isPermanentError, request } from '../graph/client.ts'
import { checkApp, dialogUrl, inspectToken } from '../graph/facebook-login.ts'
import { type Graph, graphVersions, numberAt, textAt } from '../graph/graph.ts'
import { type Insights, openInsights, readMetrics } from '../graph/insights.ts'
import { subscribeProfile, verify, webhookSetup } from '../graph/push.ts'
import { fetchComments, fetchInbox, fetchStream, pushFields, readEntry } from './activities.ts'
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
import { findPost, instagramErrors, publish } from './publishing.ts'
import { findReply, postOfComment, remove, reply } from './replies.ts'

/** Instagram professional accounts: through Instagram Login, or with the option `login: facebook` through their pages. */
export function openInstagram(app: NetworkApp, installation: NetworkInstallation): Connector {
  const throughPage = app.options.login === 'facebook'
  const graph: Graph = {
    network: 'Instagram',
    app,
    installation,
    errorMeanings: instagramErrors,
    hasProof: throughPage,
  }
  const insights = openInsights(graph, mediaMetrics)
  return {
    ...manifestRules(manifest, app),
    authorizeUrl: (login) =>
      throughPage ? dialogUrl(graph, login, scopesOf(manifest, app)) : authorizeUrl(graph, login),
    exchangeCode: (login) => (throughPage ? exchangePageCode(graph, login) : exchangeCode(graph, login)),
    refreshToken: (actor) => (throughPage ? refreshPageToken() : refreshToken(graph, actor)),
    // Id and secret of Instagram Login can't be checked without a person.
    ...(throughPage && { checkApp: () => checkApp(graph) }),
    inspectToken: (actor) => (throughPage ? inspectToken(graph, actor) : inspectOwnToken(graph, actor)),
    publish: (actor, draft, save, progress) => publish(graph, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(graph, actor, draft, since, progress),
    // Instagram comments have no images.
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
    // The callback URL itself is entered in the app's dashboard.
    webhookSetup: (callback) => webhookSetup(app, callback, { fields: pushFields, isEntered: true }),
    async subscribePush(actor) {
      await (throughPage ? subscribePage(graph, actor) : subscribeProfile(graph, actor, pushFields))
      return {}
    },
    postOfComment: (actor, commentId) => postOfComment(graph, actor, commentId),
    verifyPush: (request) => verify(app, request, 'instagram', readEntry),
  }
}

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

/** Meta removes names from this list from time to time; likes and comments are fields of the post. */
const mediaMetrics = ['views', 'reach', 'saved', 'shares']

async function metricsOf(graph: Graph, insights: Insights, actor: Actor, id: string): Promise<Metrics | undefined> {
  const fields = 'like_count,comments_count,media_product_type'
  try {
    const counts = await request(graph, actor, { method: 'GET', path: id, query: { fields } })
    const numbers = await insights(actor, id, textAt(counts, 'media_product_type') ?? 'FEED')
    const views = numbers.get('views')
    return {
      // Meta replaced impressions with views.
      impressions: views,
      views,
      reach: numbers.get('reach'),
      saves: numbers.get('saved'),
      shares: numbers.get('shares'),
      likes: numberAt(counts, 'like_count'),
      comments: numberAt(counts, 'comments_count'),
    }
  } catch (error) {
    if (isPermanentError(error, 'gone')) return undefined
    throw error
  }
}

async function profile(graph: Graph, actor: Actor): Promise<Person & { followers?: number | undefined }> {
  const fields = 'id,username,name,profile_picture_url,followers_count'
  const response = await request(graph, actor, { method: 'GET', path: actor.remoteId, query: { fields } })
  return {
    id: actor.remoteId,
    name: textAt(response, 'name'),
    username: textAt(response, 'username'),
    picture: textAt(response, 'profile_picture_url'),
    followers: numberAt(response, 'followers_count'),
  }
}
