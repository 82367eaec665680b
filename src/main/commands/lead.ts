import { exportPerson } from '#areas/leads/lead/data-subject.ts'
import { registry } from '../registry.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'

/** Commands for data access requests of leads. */
export const leadCommands: readonly Command[] = [
  {
    name: 'lead export',
    summary: 'Write all that is known of a person, as JSON',
    options: {
      account: { help: 'Account id (001…)', required: true },
      lead: { help: 'Lead id (0ld…)', required: true },
    },
    run: (settings, { account: accountId = '', lead = '' }, say) =>
      withDatabase(settings, say, async ({ see }) => {
        const told = await see(accountId, (context) => exportPerson(context, lead, registry.personalData))
        say(JSON.stringify(told, null, 2))
      }),
  },
]
