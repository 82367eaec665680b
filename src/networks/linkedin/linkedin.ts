import type { AppSetup } from '../connector/app-setup.ts'
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

/** What is known about registering an app with LinkedIn. */
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
