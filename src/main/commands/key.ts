import { createKey, listKeys, revokeKey } from '#areas/account/api-key.ts'
import { mailNewKey } from '#areas/account/session/session-mail.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import type { Context } from '#kernel/context.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'

const account = { help: 'Account id (001…)', required: true } as const

export const keyCommands: readonly Command[] = [
  {
    name: 'key create',
    summary: 'Create an API key for a user',
    options: {
      account,
      email: { help: "The user's email address", required: true },
      name: { help: 'What the key is for', required: true },
      expires: { help: 'Last day, YYYY-MM-DD; never when left out' },
    },
    run: (settings, { account: accountId = '', email = '', name = '', expires }, say) =>
      withDatabase(settings, say, async ({ act }) => {
        const until = expires === undefined ? undefined : endOfDay(expires)
        const { id, key } = await act(accountId, { command: 'key create' }, async (context) => {
          const userId = await userWithEmail(context, email)
          const made = await createKey(context, { userId, name, expires: until })
          context.about({ id: made.id })
          await mailNewKey(context, userId, name)
          return made
        })
        say(`Key id     ${id}\nAPI key    ${key}\nThe key is shown this once. Keep it safe.`)
      }),
  },
  {
    name: 'key list',
    summary: 'List the API keys of an account',
    options: { account },
    run: (settings, { account: accountId = '' }, say) =>
      withDatabase(settings, say, async ({ see }) => {
        const day = (date: Date | null, none: string) => (date ? date.toISOString().slice(0, 10) : none)
        for (const { id, email, name, created, lastUsed, expires } of await see(accountId, listKeys)) {
          say(
            `${id}  ${email}  ${name}  created ${day(created, '')}  last used ${day(lastUsed, 'never')}  expires ${day(expires, 'never')}`,
          )
        }
      }),
  },
  {
    name: 'key revoke',
    summary: 'Revoke an API key; it stops at once',
    options: { account, id: { help: 'Key id (key…)', required: true } },
    run: (settings, { account: accountId = '', id = '' }, say) =>
      withDatabase(settings, say, async ({ act }) => {
        await act(accountId, { command: 'key revoke', id }, (context) => revokeKey(context, { id }))
        say(`The key ${id} is revoked.`)
      }),
  },
]

async function userWithEmail({ db, accountId }: Context, email: string): Promise<string> {
  const [user] = await findByEmail(db, email, accountId)
  if (!user) throw new Error(`The account ${accountId} has no user with the email address ${email}.`)
  return user.userId
}

function endOfDay(text: string): Date {
  const date = new Date(`${text}T23:59:59Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(date.getTime()))
    throw new Error('--expires must be a day such as 2030-12-31.')
  return date
}
