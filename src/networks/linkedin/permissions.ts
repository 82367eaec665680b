import type { ProfileFacts } from '../connector/manifest.ts'
import { type PermissionGate, postFeatures, withPermissions } from '../content/gates.ts'
import type { Capabilities } from '../content/limits.ts'

/**
 * What to ask for, by the products of the app: LinkedIn refuses a login that asks for one permission more than its app has, and
 * takes Community Management only as the single product of an app (docs/networks/linkedin.md).
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

/** The role that a page's member must have to be shown what happens to the page. */
export const administrator = 'ADMINISTRATOR'

/** Whether a page's member is known not to be its administrator; the role of older profiles is not known. */
export const isNoAdministrator = ({ kind, tier }: Pick<ProfileFacts, 'kind' | 'tier'>) =>
  kind === 'page' && tier !== undefined && tier !== administrator

/** Where a profile can do less, or more, than profiles of its kind with the usual app. */
export function permittedCapabilities(capabilities: Capabilities, profile: ProfileFacts): Capabilities {
  const whose = profile.kind === 'page' ? 'organization' : 'member'
  // A profile whose permissions are not known has those for comments that the app asks for.
  const scopes = profile.scopes.length > 0 ? profile.scopes : (profile.options.scopes?.split(' ') ?? [])
  return {
    ...withPermissions(withPermissions(capabilities, profile.scopes, [postsGate(whose)]), scopes, [
      commentsGate(whose),
    ]),
    ...(isNoAdministrator(profile) && forEditors),
    ...(profile.options.messages === 'yes' && { directMessage: 'yes' as const }),
    ...(profile.scopes.includes('r_member_postAnalytics') && { postMetrics: 'yes' as const }),
    ...(profile.scopes.includes('r_member_profileAnalytics') && { followers: 'yes' as const }),
  }
}

/** Posts need one permission, comments and likes another, which only apps with Community Management have (comments-api, 2026-04-28). */
const postsGate = (whose: Whose): PermissionGate => ({
  anyOf: [`w_${whose}_social`],
  features: [...postFeatures, 'remove', 'audience', 'reshare'],
  gated: `This profile needs the permission w_${whose}_social to publish. Reconnect it with an app that has it.`,
})
const commentsGate = (whose: Whose): PermissionGate => ({
  anyOf: [`w_${whose}_social_feed`],
  features: ['firstComment', 'reply', 'threadedReply', 'replyMedia', 'like'],
  gated: `Comments and likes need an app with LinkedIn's Community Management product. This profile was connected without its permission w_${whose}_social_feed.`,
})
type Whose = 'organization' | 'member'

export const pushForAdministrators =
  'LinkedIn tells only administrators of a page about comments and mentions; comments under recent posts are read instead.'

const forEditors: Partial<Capabilities> = {
  push: { gated: pushForAdministrators },
  postMetrics: { gated: 'LinkedIn shows impressions and clicks only to administrators of the page.' },
  followers: { gated: 'LinkedIn shows followers only to administrators of the page.' },
}
