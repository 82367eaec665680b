import { demoAccounts, demoEmail, seedAccount, setDemoKeys } from '#areas/account/account.demo.ts'
import { newKey } from '#areas/account/api-key.ts'
import { enterAs } from '#areas/account/session/sign-in.ts'
import { systemActor } from '#kernel/change.ts'
import type { Database } from '#kernel/database/database.ts'
import { forbidden, missing } from '#kernel/errors.ts'
import { externalIoOf } from '#kernel/external-io.ts'
import { begun, type Page, textOf } from '#kernel/http/route/page.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { demoKeyScope } from './kernel-area.ts'
import { demoMedia } from './project.ts'
import { seedDemo } from './registry.ts'
import type { Settings } from './settings/settings.ts'
export interface DemoAccess {
  accountId: string
  accountName: string
  /** With the key if it was just created: it is shown once. */
  users: { role: string; email: string; key: string | undefined }[]
}

/** Creates the demo workspace if it is missing, and returns newly created keys. */
export async function prepareDemo(
  installation: Installation,
  givenKey: string | undefined,
  /** URL of the sandbox networks, if they run. */
  sandboxUrl?: string,
): Promise<DemoAccess[]> {
  const { database, keyring, clock } = installation
  const now = clock.now()
  const demoKey = await rememberKey(database, keyring, givenKey, now)
  const workspaces: DemoAccess[] = []
  for (const account of demoAccounts) {
    const io = externalIoOf(installation, systemActor(account.id, now))
    const created = await io.step(async (context) => {
      await seedAccount(context, account)
      return setDemoKeys(context, account.users, demoKey)
    })
    const users = account.users.map(({ id, keyEnding, ...user }) => ({
      role: user.role,
      email: demoEmail(user),
      key: created.has(id) ? demoKey + keyEnding : undefined,
    }))
    workspaces.push({ accountId: account.id, accountName: account.name, users })
    if (account !== demoAccounts[0]) continue
    await seedDemo(io, { sandboxUrl, mediaFolder: demoMedia, adminId: demoAdmin })
  }
  return workspaces
}

/** The user that opens the demo. */
export const demoAdmin = demoAccounts[0]?.users[0]?.id ?? ''

/** Stores a generated key, encrypted, so that the next start uses the same one. */
async function rememberKey(
  { shared }: Database,
  keyring: Keyring,
  configured: string | undefined,
  now: Date,
): Promise<string> {
  const stored = await shared.selectFrom('installation').select('demoApiKey').executeTakeFirst()
  const key = configured ?? readable(keyring, stored?.demoApiKey) ?? newKey()
  const demoApiKey = keyring.encrypt(key, demoKeyScope)
  await shared
    .insertInto('installation')
    .values({ created: now, demoApiKey })
    .onConflict((on) => on.column('singleton').doUpdateSet({ demoApiKey }))
    .execute()
  return key
}

/** The old key can't be decrypted with another keyring; a new one replaces it. */
function readable(keyring: Keyring, sealed: string | null | undefined): string | undefined {
  try {
    return sealed ? keyring.decrypt(sealed, demoKeyScope) : undefined
  } catch {
    return undefined
  }
}

/** Whether users of this machine may enter the demo without a password. */
export const offersDemo = ({ demo, host }: Settings) => demo && isLoopback(host)

export const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The demo's entry on the sign-in screen: one user for each role. */
export const demoPages = (installation: Installation): Page[] => [
  {
    method: 'POST',
    path: '/app/enter-demo',
    ownForms: true,
    async run(visit) {
      if (!visit.isLocal) throw forbidden(loopbackOnly)
      const [account] = demoAccounts
      const user = account?.users.find(({ role }) => role === textOf(visit, 'role'))
      if (!account || !user) throw missing('User')
      return begun(visit, await enterAs(installation, visit.visitor, { accountId: account.id, userId: user.id }))
    },
  },
]

const loopbackOnly = 'The demo lets people in without a password on the machine of the service only.'
