import type { Context } from '#kernel/context.ts'
import { keyDigest } from '#kernel/identities.ts'
import type { Role } from '#kernel/permissions.ts'
import * as accounts from './account.ts'
import { createKey } from './api-key.ts'
import { claimEmail } from './user/user-email.ts'

interface DemoUser {
  id: string
  firstName: string
  lastName: string
  role: Role
  /** The suffix that turns the demo key into this user's key. */
  keyEnding: string
  timezone: string
}

interface DemoAccount {
  id: string
  name: string
  users: readonly DemoUser[]
  teams: readonly { id: string; name: string; members: readonly string[] }[]
}

const user = (
  number: number,
  firstName: string,
  lastName: string,
  role: Role,
  keyEnding: string,
  timezone: string,
): DemoUser => ({
  id: `00Ademo0000000${number}`,
  firstName,
  lastName,
  role,
  keyEnding,
  timezone,
})

/** The users of the demo workspace, one per role, and a second account that must stay invisible to the first. */
export const demoAccounts: readonly DemoAccount[] = [
  {
    id: '001demo00000001',
    name: 'Northwind Outdoor',
    users: [
      user(1, 'Ada', 'Marsh', 'admin', '', 'Europe/London'),
      user(2, 'Pablo', 'Reyes', 'publisher', '-publisher', 'Europe/Madrid'),
      user(3, 'Chidi', 'Okafor', 'contributor', '-contributor', 'Africa/Lagos'),
      user(4, 'Rina', 'Sato', 'read', '-read', 'Asia/Tokyo'),
    ],
    teams: [
      { id: '025demo00000001', name: 'Europe', members: ['00Ademo00000001', '00Ademo00000002'] },
      { id: '025demo00000002', name: 'Asia Pacific', members: ['00Ademo00000004'] },
    ],
  },
  {
    id: '001demo00000002',
    name: 'Harbour Coffee',
    users: [user(5, 'Otto', 'Lind', 'admin', '-other', 'Europe/Stockholm')],
    teams: [{ id: '025demo00000003', name: 'Roasters', members: ['00Ademo00000005'] }],
  },
]

export const demoEmail = ({ firstName, lastName }: Pick<DemoUser, 'firstName' | 'lastName'>) =>
  `${firstName}.${lastName}@example.com`.toLowerCase()

/** Creates the account's data unless it exists. Ids are the same in every installation; dates are relative to the first start. */
export async function seedAccount(context: Context, { name, users, teams }: DemoAccount) {
  if (await accounts.exists(context)) return
  const { db, accountId, now: created } = context
  await accounts.create(context, { name, addUsers: () => addUsers(context, users) })
  await db
    .insertInto('teams')
    .values(teams.map((team) => ({ accountId, id: team.id, created, modified: created, name: team.name })))
    .execute()
  const members = teams.flatMap((team) =>
    team.members.map((entityId) => ({ accountId, entityId, teamId: team.id, created })),
  )
  await db.insertInto('teamEntities').values(members).execute()
}

async function addUsers(context: Context, users: readonly DemoUser[]) {
  const { db, accountId, now: created } = context
  const rows = users.map(({ id, firstName, lastName, role, timezone }) => ({
    accountId,
    id,
    created,
    modified: created,
    firstName,
    lastName,
    email: demoEmail({ firstName, lastName }),
    role,
    timezone,
    mediaLibrary: role !== 'read',
  }))
  await db.insertInto('users').values(rows).execute()
  for (const user of users) await claimEmail(context, user.id, demoEmail(user))
}

/** Replaces the demo users' keys with those derived from the demo key; returns the users whose keys were created. */
export async function setDemoKeys(
  context: Context,
  users: readonly DemoUser[],
  demoKey: string,
): Promise<ReadonlySet<string>> {
  const { db, accountId } = context
  const made = new Set<string>()
  for (const { id: userId, keyEnding } of users) {
    const key = demoKey + keyEnding
    const mine = db
      .selectFrom('apiKeys')
      .select('digest')
      .where('accountId', '=', accountId)
      .where('userId', '=', userId)
      .where('name', '=', keyName)
    const current = await mine.execute()
    if (current.length === 1 && current[0]?.digest.equals(keyDigest(key))) continue
    await db
      .deleteFrom('apiKeys')
      .where('accountId', '=', accountId)
      .where('userId', '=', userId)
      .where('name', '=', keyName)
      .execute()
    const alive = db
      .selectFrom('users')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', userId)
      .where('status', '<>', 'deleted')
    if (!(await alive.executeTakeFirst())) continue
    await createKey(context, { userId, name: keyName, key })
    made.add(userId)
  }
  return made
}

const keyName = 'Demo'

export const owner = '00Ademo00000001'
export const publisher = '00Ademo00000002'
export const contributor = '00Ademo00000003'

const day = 24 * 60 * 60 * 1000

/** The same ids in every installation: `002demo00000007`. */
export const demoId = (prefix: string, number: number) => `${prefix}demo${String(number).padStart(8, '0')}`

/** Relative to the first start. */
export const daysFrom =
  ({ now }: Pick<Context, 'now'>) =>
  (days: number) =>
    new Date(now.getTime() + days * day)

/** The same with a time of day: minutes after midnight UTC on the day of the first start. */
export const clockFrom =
  ({ now }: Pick<Context, 'now'>) =>
  (days: number, minutes: number) =>
    new Date(now.getTime() - (now.getTime() % day) + days * day + minutes * 60_000)
