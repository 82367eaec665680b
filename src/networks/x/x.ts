import type { AppSetup } from '../connector/app-setup.ts'
import { type Connector, described } from '../connector/connector.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { openCalls } from './calls.ts'
import { like, message, remove, reply } from './comments.ts'
import { fetchInbox } from './inbox.ts'
import { authorizeUrl, exchangeCode, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { findMessage, findPost, findReply } from './matching.ts'
import { readMetrics, readProfile } from './numbers.ts'
import { publish } from './publishing.ts'
import { verifyPush } from './push.ts'
import { fetchComments, fetchStream } from './reading.ts'
import { checkApp, subscribePush } from './subscriptions.ts'

/** X, which the contract calls Twitter. */
export function openX(app: NetworkApp, installation: NetworkInstallation): Connector {
  const calls = openCalls(app, installation)
  return {
    ...described(manifest, app),
    authorizeUrl: (login) => authorizeUrl(calls, login),
    exchangeCode: (login) => exchangeCode(calls, login),
    refreshToken: (actor) => refreshToken(calls, actor),
    ...(app.options.consumerKey && app.options.consumerSecret && { checkApp: () => checkApp(calls) }),
    publish: (actor, draft, save, progress) => publish(calls, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(calls, actor, draft, since, progress),
    reply: (actor, to, text, media) => reply(calls, actor, to, text, media),
    findReply: (actor, to, text, since) => findReply(calls, actor, to, text, since),
    message: (actor, to, text, media) => message(calls, actor, to, text, media),
    findMessage: (actor, to, text, since) => findMessage(calls, actor, to, text, since),
    like: (actor, to) => like(calls, actor, to),
    remove: (actor, remoteId) => remove(calls, actor, remoteId),
    metrics: (actor, postIds) => readMetrics(calls, actor, postIds),
    profile: (actor) => readProfile(calls, actor),
    fetchStream: (actor, query, cursor) => fetchStream(calls, actor, query, cursor),
    fetchComments: (actor, postId, cursor) => fetchComments(calls, actor, postId, cursor),
    fetchInbox: (actor, cursor, marker) => fetchInbox(calls, actor, cursor, marker),
    subscribePush: (actor, callback) => subscribePush(calls, actor, callback),
    verifyPush: (request) => verifyPush(calls, request),
  }
}

/** What is known about registering an app with X. */
export const setup: AppSetup = {
  versions: {
    '2': { source: 'https://docs.x.com/x-api/fundamentals/versioning, read November 2026' },
  },
  scopeUses: {
    'tweet.read': 'reading posts and mentions',
    'tweet.write': 'publishing, replies and deleting posts',
    'users.read': 'the account, its followers and the names of others',
    'offline.access': 'access that lasts longer than two hours',
    'media.write': 'pictures and videos',
    'dm.read': 'reading messages',
    'dm.write': 'sending messages',
    'like.read': 'the stream of likes',
    'like.write': 'likes',
    'list.read': 'streams of lists',
    'follows.read': 'the home stream',
    'timeline.read': 'the stream of reposts',
  },
  review:
    'No review, but every call is paid for: buy credits in the X console. Likes, and replies to people who did not mention the account, need an enterprise contract.',
}
