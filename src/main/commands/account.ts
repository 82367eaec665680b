import { create as createAccount } from '#areas/account/account.ts'
import { createKey } from '#areas/account/api-key.ts'
import { accountIds } from '#areas/account/declarations.ts'
import { create as createUser } from '#areas/account/user/user.ts'
import { newId } from '#kernel/ids.ts'
import { isTimezone } from '#kernel/wire/params.ts'
import { listAccounts } from '../process/accounts.ts'
import type { Command } from './command.ts'
import { newPassword, withDatabase } from './database.ts'

export const accountCommands: readonly Command[] = [
  {
    name: 'account create',
    summary: 'Create an account with its first admin and an API key',
    options: {
      name: { help: 'Name of the company', required: true },
      email: { help: "The admin's email address", required: true },
      'first-name': { help: "The admin's first name", required: true },
      'last-name': { help: "The admin's last name", required: true },
      timezone: { help: 'IANA time zone, default UTC' },
    },
    run: (settings, options, say) =>
      withDatabase(settings, say, async ({ act, now }) => {
        const { name = '', email = '', timezone = 'UTC' } = options
        const [, domain = ''] = /^[^@\s]+@([^@\s]+)$/.exec(email) ?? []
        if (!domain.slice(1, -1).includes('.')) throw new Error('--email must be a valid email address.')
        if (!isTimezone(timezone)) throw new Error('--timezone must be an IANA name such as Europe/Berlin.')
        const accountId = newId(accountIds.account, now)
        const password = newPassword()
        const draft = {
          firstName: options['first-name'] ?? '',
          lastName: options['last-name'] ?? '',
          email,
          password,
          timezone,
        }
        const made = await act(accountId, { command: 'account create', id: accountId }, async (context) => {
          const admin = await createAccount(context, {
            name,
            addUsers: () => createUser(context, { ...draft, role: 'admin' }),
          })
          return createKey(context, { userId: admin.id, name: 'First key' })
        })
        say(
          `Account    ${accountId}\nAPI key    ${made.key}\nPassword   ${password}\nKey and password are shown this once. Keep them safe.`,
        )
      }),
  },
  {
    name: 'account list',
    summary: 'List the accounts of this installation',
    run: (settings, _options, say) =>
      withDatabase(settings, say, async ({ url }) => {
        for (const { id, name, created } of await listAccounts(url))
          say(`${id}  ${created.toISOString().slice(0, 10)}  ${name}`)
      }),
  },
]
