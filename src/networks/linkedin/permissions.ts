import type { ProfileFacts } from '../connector/manifest.ts'
import type { Capabilities } from '../content/content.ts'
import { type PermissionGate, postFeatures, withPermissions } from '../content/gates.ts'

/**
 * Scopes by product of the app: LinkedIn rejects a login that requests a scope the app doesn't have, and allows Community
 * Management only as the single product of an app (docs/networks/linkedin.md).
 */
export const scopePresets = {
  'community-management': {
    help: 'an app with the Community Management API',
    scopes: [
      'r_basicprofile',
      'w_member_social',
      'w_member_social_feed',
      'w_organization_social',
      'w_organization_social_feed',
      'r_organization_social',
      'r_organization_social_feed',
      'rw_organization_admin',
    ],
  },
  share: {
    help: 'Share on LinkedIn and Sign In with LinkedIn using OpenID Connect: members only',
    scopes: ['openid', 'profile', 'w_member_social'],
  },
  'share-advertising': {
    help: 'the same with the Advertising API: members and pages',
    scopes: [
      'openid',
      'profile',
      'w_member_social',
      'w_organization_social',
      'r_organization_social',
      'rw_organization_admin',
    ],
  },
} as const

/** Role required to see the notifications of a page. */
export const administrator = 'ADMINISTRATOR'

/** Whether a page's member is known not to be an administrator; older profiles have no stored role. */
export const isNoAdministrator = ({ kind, tier }: Pick<ProfileFacts, 'kind' | 'tier'>) =>
  kind === 'page' && tier !== undefined && tier !== administrator

/** Adjusts the capabilities of a profile's kind to its role, scopes and app. */
export function permittedCapabilities(capabilities: Capabilities, profile: ProfileFacts): Capabilities {
  const owner = profile.kind === 'page' ? 'organization' : 'member'
  // A profile with unknown scopes is assumed to have the comment scopes that the app requests.
  const scopes = profile.scopes.length > 0 ? profile.scopes : (profile.options.scopes?.split(' ') ?? [])
  return {
    ...withPermissions(withPermissions(capabilities, profile.scopes, [postsGate(owner)]), scopes, [
      commentsGate(owner),
    ]),
    ...(isNoAdministrator(profile) && forEditors),
    ...(profile.options.messages === 'yes' && { directMessage: 'yes' as const }),
    ...(profile.scopes.includes('r_member_postAnalytics') && { postMetrics: 'yes' as const }),
    ...(profile.scopes.includes('r_member_profileAnalytics') && { followers: 'yes' as const }),
  }
}

/** Posts need one scope, comments and likes another, which only Community Management apps have (comments-api, 2026-04-28). */
const postsGate = (owner: PermissionOwner): PermissionGate => ({
  anyOf: [`w_${owner}_social`],
  features: [...postFeatures, 'remove', 'audience', 'reshare'],
  gated: `This profile needs the permission w_${owner}_social to publish. Reconnect it with an app that has it.`,
})
const commentsGate = (owner: PermissionOwner): PermissionGate => ({
  anyOf: [`w_${owner}_social_feed`],
  features: ['firstComment', 'reply', 'threadedReply', 'replyMedia', 'like'],
  gated: `Comments and likes need an app with LinkedIn's Community Management product. This profile was connected without its permission w_${owner}_social_feed.`,
})
type PermissionOwner = 'organization' | 'member'

export const pushForAdministrators =
  'LinkedIn tells only administrators of a page about comments and mentions; comments under recent posts are read instead.'

const forEditors: Partial<Capabilities> = {
  push: { gated: pushForAdministrators },
  postMetrics: { gated: 'LinkedIn shows impressions and clicks only to administrators of the page.' },
  followers: { gated: 'LinkedIn shows followers only to administrators of the page.' },
}
