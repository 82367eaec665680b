import { approvals } from './approvals.ts'
import { calendar } from './calendar.ts'
import { campaigns } from './campaigns.ts'
import { composer } from './composer.ts'
import { home } from './home.ts'
import { library } from './library.ts'
import { people } from './people.ts'
import { networkApps, profiles } from './profiles.ts'
import { settings } from './settings.ts'
import { auth, shell, ui } from './shell.ts'

/** English: a part for each screen, and those that all of them share. */
export const en = {
  ui,
  shell,
  auth,
  home,
  calendar,
  composer,
  campaigns,
  approvals,
  library,
  profiles,
  networkApps,
  people,
  settings,
}
