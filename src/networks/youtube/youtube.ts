import type { Actor } from '../connector/connector.ts'
import { type Connector, manifestRules, NetworkError, unsupported } from '../connector/connector.ts'
import type { Target } from '../connector/draft.ts'
import type { AppSetup, NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { withoutMessages } from '../content/draft-check.ts'
import { fetchComments, fetchInbox } from './activities.ts'
import { openClient, request, type YouTubeClient } from './client.ts'
import { authorizeUrl, exchangeCode, inspectToken, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { metrics, profile } from './metrics.ts'
import { findPost, publish } from './publishing.ts'
import { subscribePush, verifyPush } from './push.ts'
import { findReply, reply } from './replies.ts'

/** YouTube: videos with comments, metrics and pushed uploads. */
export function openYouTube(app: NetworkApp, installation: NetworkInstallation): Connector {
  const client = openClient(app, installation)
  return {
    ...manifestRules(manifest, app),
    authorizeUrl: (login) => authorizeUrl(app, login),
    exchangeCode: (login) => exchangeCode(client, login),
    refreshToken: (actor) => refreshToken(client, actor),
    inspectToken: (actor) => inspectToken(client, actor),
    publish: (actor, draft, save, progress) => publish(client, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(client, actor, draft, since, progress),
    // YouTube comments have no media; it is dropped, as the contract says.
    reply: (actor, to, text) => reply(client, actor, to, text),
    findReply: (actor, to, text, since) => findReply(client, actor, to, text, since),
    ...withoutMessages('YouTube'),
    like: (actor, to) => like(client, actor, to),
    remove: (actor, remoteId) => remove(client, actor, remoteId),
    metrics: (actor, postIds) => metrics(client, actor, postIds),
    profile: (actor) => profile(client, actor),
    fetchStream: async () => missing('YouTube has no streams.'),
    fetchComments: (actor, postId, cursor) => fetchComments(client, actor, postId, cursor),
    fetchInbox: (actor, cursor) => fetchInbox(client, actor, cursor),
    subscribePush: (actor, callback) => subscribePush(client, actor, callback),
    verifyPush: (request) => verifyPush(app, request),
  }
}

async function like(client: YouTubeClient, actor: Actor, { postId, commentId }: Target): Promise<void> {
  if (commentId !== undefined) missing('On YouTube only videos can be liked, comments cannot.')
  await request(client, actor, 'videos.rate', { query: { id: postId, rating: 'like' } })
}

/** Video ids have eleven characters, comment ids more. */
async function remove(client: YouTubeClient, actor: Actor, remoteId: string): Promise<void> {
  const method = /^[\w-]{11}$/.test(remoteId) ? 'videos.delete' : 'comments.delete'
  try {
    await request(client, actor, method, { query: { id: remoteId } })
  } catch (error) {
    const isGone = error instanceof NetworkError && error.fault.kind === 'permanent' && error.fault.why === 'gone'
    if (!isGone) throw error
  }
}

function missing(message: string): never {
  throw unsupported('YouTube', message)
}

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
