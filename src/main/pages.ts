import { plainPages, sessionPages } from '#areas/account/session/session.page.ts'
import { unsubscribePages } from '#areas/advocacy/digest/unsubscribe.page.ts'
import { invitationPages } from '#areas/advocacy/invitation/invitation.page.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { connectPages } from '#areas/profiles/connect/connect.page.ts'
import { calendarFeedPages } from '#areas/publishing/calendar-feed/calendar-feed.page.ts'
import type { Page } from '#kernel/http/route/page.ts'
import { demoPages, offersDemo } from './demo-entry.page.ts'
import type { Settings } from './settings/settings.ts'

/** Every page that is no part of the contract and not of the console either; `plain` where there is no console. */
export const pagesOf = (installation: ProfileInstallation, settings: Settings, plain: boolean): Page[] => [
  ...sessionPages(installation),
  ...(plain ? plainPages(installation) : []),
  ...(offersDemo(settings) ? demoPages(installation) : []),
  ...invitationPages(installation),
  ...connectPages(installation, settings.publicUrl),
  ...unsubscribePages(installation),
  ...calendarFeedPages(installation),
]
