import { type Connector, manifestRules, unsupported } from '../connector/connector.ts'
import type { AppSetup, NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { withoutMessages } from '../content/draft-check.ts'
import { fetchComments, fetchInbox, subscribePush, verifyPush } from './activities.ts'
import { openClient } from './client.ts'
import { authorizeUrl, checkApp, exchangeCode, inspectToken, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { fetchMetrics, fetchProfile } from './metrics.ts'
import { findPost, laterNames } from './outcomes.ts'
import { publish } from './publishing.ts'
import { findReply, like, remove, reply } from './replies.ts'

/** TikTok's business API: the other one has no comments. */
export function openTikTok(app: NetworkApp, installation: NetworkInstallation): Connector {
  const client = openClient(app, installation)
  return {
    ...manifestRules(manifest, app),
    authorizeUrl: (login) => authorizeUrl(client, login),
    exchangeCode: (login) => exchangeCode(client, login),
    refreshToken: (actor) => refreshToken(client, actor),
    checkApp: () => checkApp(client),
    inspectToken: (actor) => inspectToken(client, actor),
    publish: (actor, draft, save, progress) => publish(client, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(client, actor, draft, since, progress),
    reply: (actor, to, text, media) => reply(client, actor, to, text, media),
    findReply: (actor, to, text, since) => findReply(client, actor, to, text, since),
    ...withoutMessages('TikTok'),
    like: (actor, to) => like(client, actor, to),
    remove: (actor, remoteId) => remove(client, actor, remoteId),
    metrics: (actor, postIds) => fetchMetrics(client, actor, postIds),
    profile: (actor) => fetchProfile(client, actor),
    fetchStream: noStreams,
    fetchComments: (actor, postId, cursor) => fetchComments(client, actor, postId, cursor),
    laterNames: (actor, remoteIds) => laterNames(client, actor, remoteIds),
    fetchInbox: (actor, cursor) => fetchInbox(client, actor, cursor),
    subscribePush: (_actor, callback) => subscribePush(client, callback),
    verifyPush: (request) => verifyPush(app, request),
  }
}

const noStreams = async (): Promise<never> => {
  throw unsupported('TikTok', 'TikTok has no streams.')
}

export const setup: AppSetup = {
  versions: {
    'v1.3': {
      source: 'https://business-api.tiktok.com/portal/docs?id=1740578661644289, as of August 2026',
    },
  },
  scopeUses: {
    'user.info.basic': 'display name and picture',
    'user.info.profile': 'nothing today; later versions then need no new login',
    'user.info.stats': 'followers',
    'user.info.username': 'user name and links to posts',
    'video.list': 'own posts and their metrics',
    'video.publish': 'publishing',
    'comment.list': 'reading comments',
    'comment.list.manage': 'writing, liking and deleting comments',
  },
  review:
    'TikTok reviews the app before anybody can sign in. The domain that serves media must be verified as a URL property of the app, and profiles must be Business Accounts.',
}
