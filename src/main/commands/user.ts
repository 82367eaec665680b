import { search, setRole } from '#areas/account/user/user.ts'
import type { Context } from '#kernel/context.ts'
import { type Role, roles } from '#kernel/permissions.ts'
import type { Command } from '../command.ts'
import { withDatabase } from './database.ts'

const account = { help: 'Account id (001…)', required: true } as const

export const userCommands: readonly Command[] = [
  {
    name: 'user list',
    summary: 'List the users of an account with their roles',
    options: { account },
    run: (settings, { account: accountId = '' }, say) =>
      withDatabase(settings, say, async ({ as }) => {
        for (const { id, role, email, name } of await as(accountId, everybody))
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
      await withDatabase(settings, say, async ({ as }) => {
        const { name, email } = await as(accountId, async (context) => {
          const found = (await everybody(context)).find(({ id, email }) => id === user || isSame(email, user))
          if (!found) throw new Error(`The account ${accountId} has no user ${user}. See: chorus user list`)
          return setRole(context, { id: found.id, role })
        })
        say(`${name} (${email}) has the role ${role} now.`)
      })
    },
  },
]

const byName = { column: 'name', kind: 'text', ascending: true } as const
const everybody = async (context: Context) =>
  (await search(context, { page: { offset: 0, limit: undefined, order: byName } })).items

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
