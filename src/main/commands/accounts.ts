import { create as createAccount } from '#areas/account/account.ts'
import { createKey, listKeys, revokeKey } from '#areas/account/api-key.ts'
import { accountIds } from '#areas/account/declarations.ts'
import { invite, prepareGuest } from '#areas/account/session/invitation.ts'
import { makeLink } from '#areas/account/session/session.ts'
import { mailNewKey } from '#areas/account/session/session-mail.ts'
import { create as createUser, search } from '#areas/account/user/user.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import { setRole } from '#areas/account/user/user-role.ts'
import type { Context } from '#kernel/context.ts'
import { newId } from '#kernel/ids.ts'
import { type Role, roles } from '#kernel/permissions.ts'
import { isTimezone } from '#kernel/wire/params.ts'
import { listAccounts } from '../process/storage.ts'
import { accountOption, allRows, type Command, newPassword, withDatabase } from './command.ts'

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
    run: (settings, options, print) =>
      withDatabase(settings, print, async ({ act, now }) => {
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
        print(
          `Account    ${accountId}\nAPI key    ${made.key}\nPassword   ${password}\nKey and password are shown this once. Keep them safe.`,
        )
      }),
  },
  {
    name: 'account list',
    summary: 'List the accounts of this installation',
    run: (settings, _options, print) =>
      withDatabase(settings, print, async ({ url }) => {
        for (const { id, name, created } of await listAccounts(url))
          print(`${id}  ${created.toISOString().slice(0, 10)}  ${name}`)
      }),
  },
]

export const userCommands: readonly Command[] = [
  {
    name: 'user list',
    summary: 'List the users of an account with their roles',
    options: { account: accountOption },
    run: (settings, { account: accountId = '' }, print) =>
      withDatabase(settings, print, async ({ see }) => {
        for (const { id, role, email, name } of await see(accountId, allUsers))
          print(`${id}  ${role.padEnd(11)}  ${email}  ${name}`)
      }),
  },
  {
    name: 'user role',
    summary: "Change a user's role; never that of the last admin",
    options: {
      account: accountOption,
      user: { help: 'User id (00A…) or email address', required: true },
      role: { help: `One of ${roles.join(', ')}`, required: true },
    },
    run: async (settings, { account: accountId = '', user = '', role = '' }, print) => {
      if (!isRole(role)) throw new Error(`--role must be one of ${roles.join(', ')}.`)
      await withDatabase(settings, print, async ({ act }) => {
        const { name, email } = await act(accountId, { command: 'user role' }, async (context) => {
          const userIds = (await findByEmail(context.db, user, accountId)).map(({ userId }) => userId)
          const found = (await allUsers(context)).find(({ id }) => id === user || userIds.includes(id))
          if (!found) throw new Error(`The account ${accountId} has no user ${user}. See: chorus user list`)
          context.about({ id: found.id })
          return setRole(context, { id: found.id, role })
        })
        print(`${name} (${email}) has the role ${role} now.`)
      })
    },
  },
  {
    name: 'user invite',
    summary: 'Let somebody sign in: mails a link to choose a password, or prints it where no mail is sent',
    argument: { name: 'email', help: 'Their email address' },
    options: {
      account: { help: 'Account id (001…); not needed where there is one' },
      role: { help: `One of ${roles.join(', ')}; admin when left out` },
    },
    run: async (settings, { email = '', account: requestedAccount, role = 'admin' }, print) => {
      if (!isRole(role)) throw new Error(`--role must be one of ${roles.join(', ')}.`)
      if (!/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(email)) throw new Error(`${email} is not an email address.`)
      await withDatabase(settings, print, async ({ act, url }) => {
        const accountId = requestedAccount ?? singleAccount((await listAccounts(url)).map(({ id }) => id))
        const invitee = { email, role }
        if (settings.smtpUrl) {
          await act(accountId, { command: 'user invite' }, async (context) =>
            context.about({ id: (await invite(context, invitee)).id }),
          )
          return print(`The invitation is mailed to ${email} while the service runs. It works once, within 14 days.`)
        }
        const link = await act(accountId, { command: 'user invite' }, async (context) => {
          const { id } = await prepareGuest(context, invitee)
          context.about({ id })
          return makeLink(context, id, 'invitation')
        })
        print(
          `No mail is sent (CHORUS_SMTP_URL). Give this link to ${email}; it works once, within 14 days:\n\n${link}`,
        )
      })
    },
  },
  {
    name: 'user password',
    summary: 'Print a link with which a user chooses a new password, once, within an hour',
    argument: { name: 'email', help: 'The email address of a user' },
    options: { account: { help: 'Account id (001…); not needed where the address belongs to one' } },
    run: (settings, { email = '', account: requestedAccount }, print) =>
      withDatabase(settings, print, async ({ act, database }) => {
        const found = await findByEmail(database.shared, email, requestedAccount)
        if (found.length === 0) throw new Error(`Nobody has the email address ${email}. See: chorus user list`)
        const accountId = singleAccount(found.map(({ account: id }) => id))
        const userId = found.find(({ account: id }) => id === accountId)?.userId ?? ''
        const link = await act(accountId, { command: 'user password', id: userId }, (context) =>
          makeLink(context, userId, 'reset'),
        )
        print(link)
      }),
  },
]

/** The only account, if none was named. */
function singleAccount(accountIds: readonly string[]): string {
  const [only, ...more] = accountIds
  if (!only) throw new Error('There is no account yet. See: chorus account create')
  if (more.length > 0) throw new Error(`Say which account is meant with --account: ${accountIds.join(', ')}.`)
  return only
}

const byName = { column: 'name', kind: 'text', ascending: true } as const
const allUsers = async (context: Context) =>
  (await search(context, { page: { offset: 0, limit: allRows, order: byName } })).items

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

export const keyCommands: readonly Command[] = [
  {
    name: 'key create',
    summary: 'Create an API key for a user',
    options: {
      account: accountOption,
      email: { help: "The user's email address", required: true },
      name: { help: 'What the key is for', required: true },
      expires: { help: 'Last day, YYYY-MM-DD; never when left out' },
    },
    run: (settings, { account: accountId = '', email = '', name = '', expires }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        const expiry = expires === undefined ? undefined : endOfDay(expires)
        const { id, key } = await act(accountId, { command: 'key create' }, async (context) => {
          const userId = await userWithEmail(context, email)
          const made = await createKey(context, { userId, name, expires: expiry })
          context.about({ id: made.id })
          await mailNewKey(context, userId, name)
          return made
        })
        print(`Key id     ${id}\nAPI key    ${key}\nThe key is shown this once. Keep it safe.`)
      }),
  },
  {
    name: 'key list',
    summary: 'List the API keys of an account',
    options: { account: accountOption },
    run: (settings, { account: accountId = '' }, print) =>
      withDatabase(settings, print, async ({ see }) => {
        const day = (date: Date | null, none: string) => (date ? date.toISOString().slice(0, 10) : none)
        for (const { id, email, name, created, lastUsed, expires } of await see(accountId, listKeys)) {
          print(
            `${id}  ${email}  ${name}  created ${day(created, '')}  last used ${day(lastUsed, 'never')}  expires ${day(expires, 'never')}`,
          )
        }
      }),
  },
  {
    name: 'key revoke',
    summary: 'Revoke an API key; it stops at once',
    options: { account: accountOption, id: { help: 'Key id (key…)', required: true } },
    run: (settings, { account: accountId = '', id = '' }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        await act(accountId, { command: 'key revoke', id }, (context) => revokeKey(context, { id }))
        print(`The key ${id} is revoked.`)
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
