import { type Connector, manifestRules } from '../connector/connector.ts'
import type { AppSetup, NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { fetchComments, fetchInbox, fetchStream } from './activities.ts'
import { openClient } from './client.ts'
import { authorizeUrl, checkApp, exchangeCode, inspectToken, refreshToken } from './login.ts'
import { manifest } from './manifest.ts'
import { metrics, profile } from './metrics.ts'
import { findPost, publish } from './publishing.ts'
import { subscribePush, verifyPush } from './push.ts'
import { findMessage, findReply, like, message, remove, reply } from './replies.ts'

export function openLinkedIn(app: NetworkApp, installation: NetworkInstallation): Connector {
  const client = openClient(app, installation)
  return {
    ...manifestRules(manifest, app),
    authorizeUrl: (login) => authorizeUrl(app, login),
    exchangeCode: (login) => exchangeCode(client, login),
    refreshToken: (actor) => refreshToken(client, actor),
    checkApp: () => checkApp(client),
    inspectToken: (actor) => inspectToken(client, actor),
    publish: (actor, draft, save, progress) => publish(client, actor, draft, save, progress),
    findPost: (actor, draft, since, progress) => findPost(client, actor, draft, since, progress),
    reply: (actor, to, text, media) => reply(client, actor, to, text, media),
    findReply: (actor, to, text, since) => findReply(client, actor, to, text, since),
    message: (actor, to, text, media) => message(client, actor, to, text, media),
    findMessage: (actor, to, text, since) => findMessage(client, actor, to, text, since),
    like: (actor, to) => like(client, actor, to),
    remove: (actor, remoteId) => remove(client, actor, remoteId),
    metrics: (actor, postIds) => metrics(client, actor, postIds),
    profile: (actor) => profile(client, actor),
    fetchStream: (actor, query, cursor) => fetchStream(client, actor, query, cursor),
    fetchComments: (actor, postId, cursor) => fetchComments(client, actor, postId, cursor),
    fetchInbox: (actor, cursor) => fetchInbox(client, actor, cursor),
    subscribePush: (actor, callback) => subscribePush(client, actor, callback),
    verifyPush: (request) => verifyPush(app, request),
  }
}

const source =
  'https://learn.microsoft.com/en-us/linkedin/marketing/integrations/migrations, as of August 2026. LinkedIn keeps a version for at least a year'

/** There was no version in December 2025. */
const ends: { readonly [version: string]: string } = {
  '202508': '2026-08-17',
  '202509': '2026-09-15',
  '202510': '2026-10-15',
  '202511': '2026-11-16',
  '202601': '2027-01-15',
  '202602': '2027-02-15',
  '202603': '2027-03-16',
  '202604': '2027-04-15',
  '202605': '2027-05-15',
  '202606': '2027-06-15',
  '202607': '2027-07-15',
}

export const setup: AppSetup = {
  versions: Object.fromEntries(Object.entries(ends).map(([version, last]) => [version, { ends: last, source }])),
  scopeUses: {
    openid: 'who signed in',
    profile: 'who signed in',
    r_basicprofile: 'who signed in',
    w_member_social: 'posts of members',
    w_organization_social: 'posts of pages',
    r_organization_social: 'reading posts of pages',
    rw_organization_admin: 'the list of pages, notifications, statistics and followers',
    w_member_social_feed: 'comments and likes of members',
    w_organization_social_feed: 'comments and likes of pages',
    r_organization_social_feed: 'reading comments',
    r_member_postAnalytics: 'metrics of posts of members',
    r_member_profileAnalytics: 'followers of members',
    r_member_social_feed: 'reading comments on posts of members',
  },
  review:
    'Community Management is approved in two tiers (Development, then Standard with a screen recording and test credentials) and must be the only product of its app. Share on LinkedIn needs no review, the Advertising API one.',
}
