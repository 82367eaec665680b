import type { AppSetup } from '../connector/app-setup.ts'

/** What is known about registering an app with TikTok. */
export const setup: AppSetup = {
  versions: {
    'v1.3': {
      source: 'https://business-api.tiktok.com/portal/docs?id=1740578661644289, as of August 2026',
    },
  },
  scopeUses: {
    'user.info.basic': 'display name and picture',
    'user.info.profile': 'nothing today; later versions then need no new login',
    'user.info.stats': 'followers',
    'user.info.username': 'user name and links to posts',
    'video.list': 'own posts and their metrics',
    'video.publish': 'publishing',
    'comment.list': 'reading comments',
    'comment.list.manage': 'writing, liking and deleting comments',
  },
  review:
    'TikTok reviews the app before anybody can sign in. The domain that serves media must be verified as a URL property of the app, and profiles must be Business Accounts.',
}
