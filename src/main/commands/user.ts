import { invite, prepareGuest } from '#areas/account/session/invitation.ts'
import { makeLink } from '#areas/account/session/session.ts'
import { search } from '#areas/account/user/user.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import { setRole } from '#areas/account/user/user-role.ts'
import type { Context } from '#kernel/context.ts'
import { type Role, roles } from '#kernel/permissions.ts'
import { listAccounts } from '../process/accounts.ts'
import { allRows, type Command } from './command.ts'
import { withDatabase } from './database.ts'

const account = { help: 'Account id (001…)', required: true } as const

export const userCommands: readonly Command[] = [
  {
    name: 'user list',
    summary: 'List the users of an account with their roles',
    options: { account },
    run: (settings, { account: accountId = '' }, say) =>
      withDatabase(settings, say, async ({ see }) => {
        for (const { id, role, email, name } of await see(accountId, everybody))
          say(`${id}  ${role.padEnd(11)}  ${email}  ${name}`)
      }),
  },
  {
    name: 'user role',
    summary: "Change a user's role; never that of the last admin",
    options: {
      account,
      user: { help: 'User id (00A…) or email address', required: true },
      role: { help: `One of ${roles.join(', ')}`, required: true },
    },
    run: async (settings, { account: accountId = '', user = '', role = '' }, say) => {
      if (!isRole(role)) throw new Error(`--role must be one of ${roles.join(', ')}.`)
      await withDatabase(settings, say, async ({ act }) => {
        const { name, email } = await act(accountId, { command: 'user role' }, async (context) => {
          const named = (await findByEmail(context.db, user, accountId)).map(({ userId }) => userId)
          const found = (await everybody(context)).find(({ id }) => id === user || named.includes(id))
          if (!found) throw new Error(`The account ${accountId} has no user ${user}. See: chorus user list`)
          context.about({ id: found.id })
          return setRole(context, { id: found.id, role })
        })
        say(`${name} (${email}) has the role ${role} now.`)
      })
    },
  },
  {
    name: 'user invite',
    summary: 'Let somebody sign in: mails a link to choose a password, or prints it where no mail is sent',
    word: { name: 'email', help: 'Their email address' },
    options: {
      account: { help: 'Account id (001…); not needed where there is one' },
      role: { help: `One of ${roles.join(', ')}; admin when left out` },
    },
    run: async (settings, { email = '', account: given, role = 'admin' }, say) => {
      if (!isRole(role)) throw new Error(`--role must be one of ${roles.join(', ')}.`)
      if (!/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(email)) throw new Error(`${email} is not an email address.`)
      await withDatabase(settings, say, async ({ act, url }) => {
        const accountId = given ?? onlyOf((await listAccounts(url)).map(({ id }) => id))
        const guest = { email, role }
        if (settings.smtpUrl) {
          await act(accountId, { command: 'user invite' }, async (context) =>
            context.about({ id: (await invite(context, guest)).id }),
          )
          return say(`The invitation is mailed to ${email} while the service runs. It works once, within 14 days.`)
        }
        const link = await act(accountId, { command: 'user invite' }, async (context) => {
          const { id } = await prepareGuest(context, guest)
          context.about({ id })
          return makeLink(context, id, 'invitation')
        })
        say(`No mail is sent (CHORUS_SMTP_URL). Give this link to ${email}; it works once, within 14 days:\n\n${link}`)
      })
    },
  },
  {
    name: 'user password',
    summary: 'Print a link with which a user chooses a new password, once, within an hour',
    word: { name: 'email', help: 'The email address of a user' },
    options: { account: { help: 'Account id (001…); not needed where the address belongs to one' } },
    run: (settings, { email = '', account: given }, say) =>
      withDatabase(settings, say, async ({ act, database }) => {
        const found = await findByEmail(database.shared, email, given)
        if (found.length === 0) throw new Error(`Nobody has the email address ${email}. See: chorus user list`)
        const accountId = onlyOf(found.map(({ account: id }) => id))
        const userId = found.find(({ account: id }) => id === accountId)?.userId ?? ''
        const link = await act(accountId, { command: 'user password', id: userId }, (context) =>
          makeLink(context, userId, 'reset'),
        )
        say(link)
      }),
  },
]

/** The only account, if none was named. */
function onlyOf(accountIds: readonly string[]): string {
  const [only, ...more] = accountIds
  if (!only) throw new Error('There is no account yet. See: chorus account create')
  if (more.length > 0) throw new Error(`Say which account is meant with --account: ${accountIds.join(', ')}.`)
  return only
}

const byName = { column: 'name', kind: 'text', ascending: true } as const
const everybody = async (context: Context) =>
  (await search(context, { page: { offset: 0, limit: allRows, order: byName } })).items

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)
