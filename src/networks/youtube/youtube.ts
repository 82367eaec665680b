import type { Actor } from '../connector/actor.ts'
import type { AppSetup } from '../connector/app-setup.ts'
import { type Connector, described } from '../connector/connector.ts'
import type { Target } from '../connector/draft.ts'
import { NetworkError, unsupported } from '../connector/fault.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { withoutMessages } from '../content/draft-check.ts'
import { ask, type Calls, openCalls } from './calls.ts'
import { findReply, reply } from './comments.ts'
import { findPost } from './finding.ts'
import { authorizeUrl, exchangeCode, inspectToken, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { metrics, profile } from './numbers.ts'
import { publish } from './publishing.ts'
import { subscribePush, verifyPush } from './push.ts'
import { fetchComments, fetchInbox } from './reading.ts'

/** YouTube: videos with their comments, numbers and pushed uploads. */
export function openYouTube(app: NetworkApp, installation: NetworkInstallation): Connector {
  const calls = openCalls(app, installation)
  return {
    ...described(manifest, app),
    authorizeUrl: (login) => authorizeUrl(app, login),
    exchangeCode: (login) => exchangeCode(calls, login),
    refreshToken: (actor) => refreshToken(calls, actor),
    inspectToken: (actor) => inspectToken(calls, actor),
    publish: (actor, draft, save, progress) => publish(calls, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(calls, actor, draft, since, progress),
    // Comments carry no media; what comes along is left out, as the contract says.
    reply: (actor, to, text) => reply(calls, actor, to, text),
    findReply: (actor, to, text, since) => findReply(calls, actor, to, text, since),
    ...withoutMessages('YouTube'),
    like: (actor, to) => like(calls, actor, to),
    remove: (actor, remoteId) => remove(calls, actor, remoteId),
    metrics: (actor, postIds) => metrics(calls, actor, postIds),
    profile: (actor) => profile(calls, actor),
    fetchStream: async () => missing('YouTube has no streams.'),
    fetchComments: (actor, postId, cursor) => fetchComments(calls, actor, postId, cursor),
    fetchInbox: (actor, cursor) => fetchInbox(calls, actor, cursor),
    subscribePush: (actor, callback) => subscribePush(calls, actor, callback),
    verifyPush: (request) => verifyPush(app, request),
  }
}

async function like(calls: Calls, actor: Actor, { postId, commentId }: Target): Promise<void> {
  if (commentId !== undefined) missing('On YouTube only videos can be liked, comments cannot.')
  await ask(calls, actor, 'videos.rate', { query: { id: postId, rating: 'like' } })
}

/** Ids of videos have eleven characters, those of comments more. */
async function remove(calls: Calls, actor: Actor, remoteId: string): Promise<void> {
  const method = /^[\w-]{11}$/.test(remoteId) ? 'videos.delete' : 'comments.delete'
  try {
    await ask(calls, actor, method, { query: { id: remoteId } })
  } catch (error) {
    const isGone = error instanceof NetworkError && error.fault.kind === 'permanent' && error.fault.why === 'gone'
    if (!isGone) throw error
  }
}

function missing(message: string): never {
  throw unsupported('YouTube', message)
}

/** What is known about registering an app with YouTube. */
export const setup: AppSetup = {
  versions: {
    v3: {
      source: 'https://developers.google.com/youtube/data/revision_history, read November 2026',
    },
  },
  scopeUses: {
    'youtube.upload': 'publishing',
    'youtube.force-ssl': 'comments, likes and deleting videos',
    'youtube.readonly': 'the channel, its videos and their metrics',
    'yt-analytics.readonly': 'the number of shares',
  },
  review:
    'Google verifies apps that ask for these scopes. While the consent screen is in testing only listed test users can sign in, and their access ends after 7 days. More than the default quota needs an audit.',
}
