import type { AppSetup } from '../connector/app-setup.ts'

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
