import type { AppSetup } from '../connector/app-setup.ts'
import { graphVersions } from '../graph/versions.ts'

/** What is known about registering an app with Facebook. */
export const setup: AppSetup = {
  versions: graphVersions,
  scopeUses: {
    pages_show_list: 'listing Pages to connect',
    pages_manage_posts: 'publishing and deleting posts',
    pages_read_engagement: 'reading own posts, streams, finding a post whose response was lost',
    pages_manage_engagement: 'comments, replies and likes',
    pages_read_user_content: 'reading comments and mentions',
    read_insights: 'metrics',
    pages_messaging: 'messages',
    pages_manage_metadata: 'webhooks',
    business_management: 'Pages that only a business portfolio gives access to',
  },
  review:
    'With standard access the app works for people with a role on it. Pages of others need advanced access for each permission: App Review, business verification and a screencast of each permission in use.',
}
