/** What a developer can add to an app, and the permissions that come with it. */
const communityManagement = [
  'r_basicprofile',
  'w_member_social',
  'w_member_social_feed',
  'r_member_social',
  'r_member_social_feed',
  'r_member_postAnalytics',
  'r_member_profileAnalytics',
  'w_organization_social',
  'w_organization_social_feed',
  'r_organization_social',
  'r_organization_social_feed',
  'rw_organization_admin',
  'r_organization_followers',
  'r_1st_connections_size',
]
const shareAndSignIn = ['openid', 'profile', 'email', 'w_member_social']
const advertising = [
  'r_basicprofile',
  'r_ads',
  'rw_ads',
  'r_ads_reporting',
  'r_organization_admin',
  'rw_organization_admin',
  'r_organization_social',
  'w_organization_social',
  'w_member_social',
  'r_1st_connections_size',
]

/** The apps there can be: Community Management must be the only product of its app. The first is what the sandbox's app is. */
const apps: Record<string, readonly string[]> = {
  'community-management': communityManagement,
  share: shareAndSignIn,
  'share-advertising': [...shareAndSignIn, ...advertising],
}

/** The permissions of the app that the first profiles were connected with. */
export const pageScopes = communityManagement

/** The first permission that an app with these products does not have. */
export function unauthorizedScope(products: string | undefined, asked: readonly string[]): string | undefined {
  const scopes = apps[products ?? 'community-management'] ?? []
  return asked.find((scope) => !scopes.includes(scope))
}

/** Tokens can be renewed by approved marketing partners only; who just shares and signs in is none. */
export const isPartner = (scopes: readonly string[]) => scopes.some((scope) => !shareAndSignIn.includes(scope))
