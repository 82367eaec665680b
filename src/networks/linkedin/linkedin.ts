import { type Connector, described } from '../connector/connector.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { openCalls } from './calls.ts'
import { findReply, like, remove, reply } from './comments.ts'
import { findPost } from './finding.ts'
import { fetchInbox } from './inbox.ts'
import { authorizeUrl, checkApp, exchangeCode, inspectToken, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { findMessage, message } from './messages.ts'
import { metrics, profile } from './numbers.ts'
import { publish } from './publishing.ts'
import { subscribePush, verifyPush } from './push.ts'
import { fetchComments, fetchStream } from './reading.ts'

/** LinkedIn: company pages and members. */
export function openLinkedIn(app: NetworkApp, installation: NetworkInstallation): Connector {
  const calls = openCalls(app, installation)
  return {
    ...described(manifest, app),
    authorizeUrl: (login) => authorizeUrl(app, login),
    exchangeCode: (login) => exchangeCode(calls, login),
    refreshToken: (actor) => refreshToken(calls, actor),
    checkApp: () => checkApp(calls),
    inspectToken: (actor) => inspectToken(calls, actor),
    publish: (actor, draft, save, progress) => publish(calls, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(calls, actor, draft, since, progress),
    reply: (actor, to, text, media) => reply(calls, actor, to, text, media),
    findReply: (actor, to, text, since) => findReply(calls, actor, to, text, since),
    message: (actor, to, text, media) => message(calls, actor, to, text, media),
    findMessage: (actor, to, text, since) => findMessage(calls, actor, to, text, since),
    like: (actor, to) => like(calls, actor, to),
    remove: (actor, remoteId) => remove(calls, actor, remoteId),
    metrics: (actor, postIds) => metrics(calls, actor, postIds),
    profile: (actor) => profile(calls, actor),
    fetchStream: (actor, query, cursor) => fetchStream(calls, actor, query, cursor),
    fetchComments: (actor, postId, cursor) => fetchComments(calls, actor, postId, cursor),
    fetchInbox: (actor, cursor) => fetchInbox(calls, actor, cursor),
    subscribePush: (actor, callback) => subscribePush(calls, actor, callback),
    verifyPush: (request) => verifyPush(app, request),
  }
}
