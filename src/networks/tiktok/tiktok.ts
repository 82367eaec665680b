import type { AppSetup } from '../connector/app-setup.ts'
import { type Connector, described } from '../connector/connector.ts'
import { unsupported } from '../connector/fault.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { withoutMessages } from '../content/draft-check.ts'
import { openCalls } from './calls.ts'
import { findReply, like, remove, reply } from './comments.ts'
import { authorizeUrl, checkApp, exchangeCode, inspectToken, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { fetchMetrics, fetchProfile } from './numbers.ts'
import { findPost, laterNames } from './outcomes.ts'
import { publish } from './publishing.ts'
import { subscribePush, verifyPush } from './push.ts'
import { fetchComments, fetchInbox } from './reading.ts'

/** TikTok through its business API: the other one has no comments. */
export function openTikTok(app: NetworkApp, installation: NetworkInstallation): Connector {
  const calls = openCalls(app, installation)
  return {
    ...described(manifest, app),
    authorizeUrl: (login) => authorizeUrl(calls, login),
    exchangeCode: (login) => exchangeCode(calls, login),
    refreshToken: (actor) => refreshToken(calls, actor),
    checkApp: () => checkApp(calls),
    inspectToken: (actor) => inspectToken(calls, actor),
    publish: (actor, draft, save, progress) => publish(calls, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(calls, actor, draft, since, progress),
    reply: (actor, to, text, media) => reply(calls, actor, to, text, media),
    findReply: (actor, to, text, since) => findReply(calls, actor, to, text, since),
    ...withoutMessages('TikTok'),
    like: (actor, to) => like(calls, actor, to),
    remove: (actor, remoteId) => remove(calls, actor, remoteId),
    metrics: (actor, postIds) => fetchMetrics(calls, actor, postIds),
    profile: (actor) => fetchProfile(calls, actor),
    fetchStream: noStreams,
    fetchComments: (actor, postId, cursor) => fetchComments(calls, actor, postId, cursor),
    laterNames: (actor, remoteIds) => laterNames(calls, actor, remoteIds),
    fetchInbox: (actor, cursor) => fetchInbox(calls, actor, cursor),
    subscribePush: (_actor, callback) => subscribePush(calls, callback),
    verifyPush: (request) => verifyPush(app, request),
  }
}

const noStreams = async (): Promise<never> => {
  throw unsupported('TikTok', 'TikTok has no streams.')
}

/** What is known about registering an app with TikTok. */
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
