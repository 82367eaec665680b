import type { ProfileFacts } from '../connector/manifest.ts'
import type { Capabilities, Capability } from '../content/limits.ts'

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

export const commentsGate =
  'LinkedIn takes comments and likes only from apps with the Community Management product; this one has Share on LinkedIn.'

/** Whether LinkedIn is known to refuse comments and likes: the app has no more than the right to post for members. */
export const isWithoutComments = (scopes: readonly string[]) =>
  scopes.length > 0 && !scopes.some((scope) => scope.endsWith('_social_feed') || scope.includes('organization'))

/** Where a profile can do less, or more, than profiles of its kind with the usual app. */
export function permittedCapabilities(profile: ProfileFacts): Partial<Capabilities> {
  // A profile that is not known yet has what the app asks for.
  const scopes = profile.scopes.length > 0 ? profile.scopes : (profile.options.scopes?.split(' ') ?? [])
  return {
    ...(isWithoutComments(scopes) && withoutComments),
    ...(isNoAdministrator(profile) && forEditors),
    ...(profile.options.messages === 'yes' && { directMessage: 'yes' }),
    ...(profile.scopes.includes('r_member_postAnalytics') && { postMetrics: 'yes' }),
    ...(profile.scopes.includes('r_member_profileAnalytics') && { followers: 'yes' }),
  }
}

const gatedComments: Capability = { gated: commentsGate }

const withoutComments: Partial<Capabilities> = {
  firstComment: gatedComments,
  reply: gatedComments,
  threadedReply: gatedComments,
  replyMedia: gatedComments,
  like: gatedComments,
}

export const pushForAdministrators =
  'LinkedIn tells only administrators of a page about comments and mentions; comments under recent posts are read instead.'

const forEditors: Partial<Capabilities> = {
  push: { gated: pushForAdministrators },
  postMetrics: { gated: 'LinkedIn shows impressions and clicks only to administrators of the page.' },
  followers: { gated: 'LinkedIn shows followers only to administrators of the page.' },
}
