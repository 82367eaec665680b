import { type Connector, manifestRules } from '../connector/connector.ts'
import type { AppSetup, NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { fetchComments, fetchStream } from './activities.ts'
import { openClient } from './client.ts'
import { fetchInbox } from './inbox.ts'
import { authorizeUrl, exchangeCode, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { readMetrics, readProfile } from './metrics.ts'
import { findMessage, findPost, findReply, like, message, publish, remove, reply } from './publishing.ts'
import { checkApp, subscribePush, verifyPush } from './push.ts'

/** X, named Twitter in the API contract. */
export function openX(app: NetworkApp, installation: NetworkInstallation): Connector {
  const client = openClient(app, installation)
  return {
    ...manifestRules(manifest, app),
    authorizeUrl: (login) => authorizeUrl(client, login),
    exchangeCode: (login) => exchangeCode(client, login),
    refreshToken: (actor) => refreshToken(client, actor),
    ...(app.options.consumerKey && app.options.consumerSecret && { checkApp: () => checkApp(client) }),
    publish: (actor, draft, save, progress) => publish(client, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(client, actor, draft, since, progress),
    reply: (actor, to, text, media) => reply(client, actor, to, text, media),
    findReply: (actor, to, text, since) => findReply(client, actor, to, text, since),
    message: (actor, to, text, media) => message(client, actor, to, text, media),
    findMessage: (actor, to, text, since) => findMessage(client, actor, to, text, since),
    like: (actor, to) => like(client, actor, to),
    remove: (actor, remoteId) => remove(client, actor, remoteId),
    metrics: (actor, postIds) => readMetrics(client, actor, postIds),
    profile: (actor) => readProfile(client, actor),
    fetchStream: (actor, query, cursor) => fetchStream(client, actor, query, cursor),
    fetchComments: (actor, postId, cursor) => fetchComments(client, actor, postId, cursor),
    fetchInbox: (actor, cursor, marker) => fetchInbox(client, actor, cursor, marker),
    subscribePush: (actor, callback) => subscribePush(client, actor, callback),
    verifyPush: (request) => verifyPush(client, request),
  }
}

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
