import type { AppSetup } from '../connector/app-setup.ts'
import { graphVersions } from '../graph/versions.ts'

/** What is known about registering an app with Instagram. */
export const setup: AppSetup = {
  versions: graphVersions,
  scopeUses: {
    instagram_business_basic: 'the account and its posts',
    instagram_business_content_publish: 'publishing',
    instagram_business_manage_comments: 'reading and writing comments',
    instagram_business_manage_insights: 'metrics',
    instagram_basic: 'the account and its posts',
    instagram_content_publish: 'publishing',
    instagram_manage_comments: 'reading and writing comments',
    instagram_manage_insights: 'metrics',
    instagram_manage_contents: 'deleting posts',
    pages_show_list: 'finding accounts behind Pages',
    pages_read_engagement: 'finding accounts behind Pages',
    pages_manage_metadata: 'webhooks',
    business_management: 'Pages that only a business portfolio gives access to',
  },
  review:
    'With standard access the app works for accounts that are testers of it. Accounts of others, and pushed comments, need advanced access: App Review and business verification.',
}
