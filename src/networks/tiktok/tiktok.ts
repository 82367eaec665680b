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
