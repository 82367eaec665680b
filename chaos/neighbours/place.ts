import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '#areas/account/api-key/api-key.ts'
import { recordDeed } from '#areas/account/audit/audit.ts'
import { accountIds } from '#areas/account/declarations.ts'
import { keepProfile } from '#areas/profiles/connect/connected-profile.ts'
import { change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { identitiesChanged, keyDigest } from '#kernel/identities.ts'
import { newId } from '#kernel/ids.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { openFiles } from '#main/process/storage.ts'
import { react } from '#main/registry.ts'
import type { Grant } from '#networks/connector/connector.ts'
import { type Caller, caller } from '../../tests/support/caller.ts'
import { type Program, runProgram } from '../../tests/support/program.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { stuffed, stuffedLarge } from './stuffing.ts'
import type { Targets } from './targets.ts'

const goodAccount = '001demo00000001'
export const badAccount = '001demo00000002'
const badAdmin = '00Ademo00000005'
const demoKey = 'chaos-key-0001'
const profile = '003-1-1500000000000000501'
const attackers = 16

/** The real program with two accounts: one that works, and one that means harm. */
export interface Place {
  url: string
  program: Program
  good: Worker
  bad: Targets
  /** As many users of the account that works, for the control. */
  inside: Targets
  stop(): Promise<void>
}

/** The account that works. */
interface Worker {
  /** Authorization headers of users who share the calls, and a caller for what is looked after. */
  users: readonly string[]
  caller: Caller
  campaignId: string
  /** A profile at X. */
  credentialId: string
  link: string
}

export interface PlaceOptions {
  databaseUrl: string
  environment?: Record<string, string>
  /** How much of what a busy account has the bad one has; all of it unless told. */
  part?: number
  /** How many posts it has beside, with all that belongs to them; none unless told. */
  posts?: number
}

export async function openPlace({ databaseUrl, environment = {}, part, posts = 0 }: PlaceOptions): Promise<Place> {
  const folder = await temporaryFolder()
  const { CHORUS_SECRET_KEYS: keys = newKeyring() } = environment
  const program = runProgram('start', [], {
    CHORUS_PORT: '0',
    CHORUS_DATA_DIR: folder.path,
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_SECRET_KEYS: keys,
    CHORUS_DEMO_API_KEY: demoKey,
    CHORUS_LOG_LEVEL: process.env.CHAOS_LOG ?? 'silent',
    ...environment,
  })
  const url = await program.printed(/Base URL +(http:\S+)\/v2/)
  const sandbox = await program.printed(/Sandbox +(http:\S+)/)
  const installation = {
    database: openDatabase({ url: databaseUrl, connections: 2 }),
    listener: undefined,
    clock: systemClock,
    keyring: readKeyring(keys),
    outbound: openOutbound({ allow: [] }),
    files: openFiles({ storageUrl: { kind: 'files' }, dataDir: folder.path }),
    publicUrl: () => url,
    shortUrl: () => `${url}/l`,
    lateness: 60 * 60 * 1000,
    appOptions: () => undefined,
    recordDeed,
    accountLimits: {},
    react,
  }
  const as = <Result>(account: string, work: (context: Context) => Promise<Result>) =>
    change(installation, systemActor(account, systemClock.now()), work)
  try {
    await control(sandbox, '/limits', { factor: 1000 })
    const bad = await harmful(
      url,
      badAccount,
      await as(badAccount, newAdmins),
      await as(badAccount, newProfile(sandbox)),
    )
    const inside = await harmful(url, goodAccount, await as(goodAccount, newAdmins), profile)
    await ownerQuery(databaseUrl, stuffed(badAccount, bad.campaignId, bad.credentialId, part))
    if (posts > 0) await ownerQuery(databaseUrl, stuffedLarge(badAccount, bad.campaignId, bad.credentialId, posts))
    return {
      url,
      program,
      good: await worker(url),
      bad,
      inside,
      async stop() {
        program.child.kill('SIGTERM')
        // One that hangs does not hear.
        const cut = setTimeout(() => program.child.kill('SIGKILL'), 12_000)
        await program.ended
        clearTimeout(cut)
        await folder.remove()
      },
    }
  } finally {
    await installation.files.prober.close()
    await installation.outbound.close()
    await installation.database.close()
  }
}

async function worker(url: string): Promise<Worker> {
  const admin = caller(url, goodAccount, demoKey)
  const { json } = await admin('GET /link', { query: '_count=1' })
  return {
    users: ['', '-contributor'].map((ending) => authorization(goodAccount, demoKey + ending)),
    caller: caller(url, goodAccount, `${demoKey}-publisher`),
    campaignId: '002demo00000001',
    credentialId: profile,
    link: `${url}/l/${json.Items[0].Hash}`,
  }
}

const authorization = (account: string, key: string) => `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}`

/** Every attacker may do everything, and nobody needs a password. */
async function newAdmins(context: Context): Promise<string[]> {
  const { db, accountId, now } = context
  const made = Array.from({ length: attackers }, () => ({ id: newId(accountIds.user, now), key: newKey() }))
  const users = made.map(({ id }, number) => ({
    accountId,
    id,
    created: now,
    modified: now,
    timezone: 'UTC',
    mediaLibrary: true,
    role: 'admin' as const,
    firstName: 'Mallory',
    lastName: String(number),
    email: `mallory${number}@example.com`,
  }))
  const keys = made.map(({ id: userId, key }) => ({
    accountId,
    id: newId(accountIds.apiKey, now),
    userId,
    created: now,
    name: 'Chaos',
    digest: keyDigest(key),
  }))
  await db.insertInto('users').values(users).execute()
  await db.insertInto('apiKeys').values(keys).execute()
  await identitiesChanged(context)
  return made.map(({ key }) => authorization(accountId, key))
}

const newProfile = (sandbox: string) => async (context: Context) => {
  const about = { network: 'Twitter', kind: 'account', name: 'Mallory' } as const
  const made = await control(sandbox, '/profile', { ...about, expiresInSeconds: 2_592_000 })
  const { id, username, accessToken, refreshToken, scopes } = made as Made
  const secret = { accessToken, scopes, ...(refreshToken && { refreshToken }) }
  const grant: Grant = { ...about, remoteId: id, username, secret }
  return keepProfile({ ...context, userId: badAdmin }, grant)
}

interface Made {
  id: string
  username: string
  accessToken: string
  refreshToken: string | null
  scopes: string[]
}

async function control(sandbox: string, path: string, body: object): Promise<unknown> {
  const headers = { authorization: 'Bearer sandbox', 'content-type': 'application/json' }
  const answer = await fetch(`${sandbox}/__sandbox${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

/** A campaign and a link of the account, made as anybody would make them. */
async function harmful(url: string, account: string, users: string[], credentialId: string): Promise<Targets> {
  const [first = ''] = users
  const key = Buffer.from(first.slice('Basic '.length), 'base64')
    .toString()
    .slice(account.length + 1)
  const admin = caller(url, account, key)
  const campaignId = (await admin('POST /campaign', { body: { name: 'Mallory' } })).json.Campaign.Id
  const message = `Look https://example.com/${account}`
  const body = { network: 'Twitter', campaignId, message }
  const messageId = (await admin('POST /message', { body })).json.Message.Id
  const posted = await admin('POST /post', { body: { messageId, credentialIds: credentialId } })
  if (posted.status !== 200) throw new Error(posted.text)
  for (;;) {
    const { json } = await admin('GET /link', { query: '_count=100' })
    const link = json.Items.find((item: { LongUrl: string }) => item.LongUrl.includes(account))
    if (link) return { url, users, campaignId, credentialId, link: { id: link.Id, url: `${url}/l/${link.Hash}` } }
    await sleep(200)
  }
}
