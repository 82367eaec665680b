import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '#areas/account/api-key.ts'
import { recordAuditEntry } from '#areas/account/audit.ts'
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
import type { CreatedProfile } from '../publishing/posts.ts'
import type { Targets } from './attacker.ts'

const goodAccount = '001demo00000001'
export const badAccount = '001demo00000002'
const badAdmin = '00Ademo00000005'
const demoKey = 'chaos-key-0001'
const profile = '003-1-1500000000000000501'
const attackers = 16

/** The program with two accounts: a regular one and an attacking one. */
export interface Setup {
  url: string
  program: Program
  good: Worker
  bad: Targets
  /** Users of the regular account, for the negative control. */
  inside: Targets
  stop(): Promise<void>
}

/** The regular account. */
interface Worker {
  /** Authorization headers of the users that send requests, and a caller for background tasks. */
  users: readonly string[]
  caller: Caller
  campaignId: string
  /** A profile at X. */
  credentialId: string
  link: string
}

export interface SetupOptions {
  databaseUrl: string
  environment?: Record<string, string>
  /** Fraction of a busy account's data that the attacking account has; default 1. */
  part?: number
  /** Number of additional posts with all related rows; default 0. */
  posts?: number
}

export async function openSetup({ databaseUrl, environment = {}, part, posts = 0 }: SetupOptions): Promise<Setup> {
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
    recordAuditEntry,
    accountLimits: {},
    react,
  }
  const as = <Result>(account: string, work: (context: Context) => Promise<Result>) =>
    change(installation, systemActor(account, systemClock.now()), work)
  try {
    await control(sandbox, '/limits', { factor: 1000 })
    const bad = await targetsFor(
      url,
      badAccount,
      await as(badAccount, newAdmins),
      await as(badAccount, newProfile(sandbox)),
    )
    const inside = await targetsFor(url, goodAccount, await as(goodAccount, newAdmins), profile)
    await ownerQuery(databaseUrl, seedSql(badAccount, bad.campaignId, bad.credentialId, part))
    if (posts > 0) await ownerQuery(databaseUrl, largeSeedSql(badAccount, bad.campaignId, bad.credentialId, posts))
    return {
      url,
      program,
      good: await worker(url),
      bad,
      inside,
      async stop() {
        program.child.kill('SIGTERM')
        // A hanging process does not react to SIGTERM.
        const killTimer = setTimeout(() => program.child.kill('SIGKILL'), 12_000)
        await program.ended
        clearTimeout(killTimer)
        await folder.remove()
      },
    }
  } finally {
    await installation.files.inspector.close()
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

/** All attackers are admins without passwords. */
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
  const { id, username, accessToken, refreshToken, scopes } = made as CreatedProfile
  const secret = { accessToken, scopes, ...(refreshToken && { refreshToken }) }
  const grant: Grant = { ...about, remoteId: id, username, secret }
  return keepProfile({ ...context, userId: badAdmin }, grant)
}

async function control(sandbox: string, path: string, body: object): Promise<unknown> {
  const headers = { authorization: 'Bearer sandbox', 'content-type': 'application/json' }
  const response = await fetch(`${sandbox}/__sandbox${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

/** Creates a campaign and a link through the API. */
async function targetsFor(url: string, account: string, users: string[], credentialId: string): Promise<Targets> {
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

const [usualTags, usualPosts] = [10_000, 1_500]

/** SQL that creates the data of a busy account: tags, and posts over the next sixty days. */
function seedSql(account: string, campaign: string, credential: string, part = 1) {
  const [tags, posts] = [usualTags * part, usualPosts * part]
  return `
  insert into tags (account_id, id, created, modified, created_by, tag)
  select '${account}', '07Cc' || lpad(n::text, 11, '0'), now(), now(), '', 'tag ' || n from generate_series(1, ${tags}) n;
  insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message, message_length)
  select '${account}', '005c' || lpad(n::text, 11, '0'), now(), now(), '', '', '${campaign}', 'Twitter', 'status-update', 'Planned ' || n, 8 + length(n::text)
  from generate_series(1, ${posts}) n;
  insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id,
    message_id, network, start_date_time, credential_ids)
  select '${account}', '006c' || lpad(n::text, 11, '0'), now(), now(), '', '', 'pending', 'Approved', 'API', false, '${campaign}',
    '005c' || lpad(n::text, 11, '0'), 'Twitter', now() + n * interval '55 minutes', array['${credential}']
  from generate_series(1, ${posts}) n;
  analyze tags, messages, posts`
}

const campaigns = 100
const hours = 59 * 24

/** SQL that creates this many posts within sixty days around now, with messages, sends, audit entries and metrics. */
function largeSeedSql(account: string, campaign: string, credential: string, posts: number) {
  const id = (prefix: string, n = 'n') => `'${prefix}l' || lpad((${n})::text, 11, '0')`
  const made = `'${account}', ${id('%')}, now(), now(), '', ''`
  const row = (prefix: string) => made.replace('%', prefix)
  const each = `from generate_series(1, ${posts}) n`
  const start = `now() - interval '29 days' + n * (interval '58 days' / ${posts})`
  return `
  insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
  select ${row('002')}, 'Large ' || n, 'active', '#2456D6' from generate_series(1, ${campaigns}) n;
  insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message, message_length)
  select ${row('005')}, '${campaign}', 'Twitter', 'status-update', repeat('Nine nights, two storms, one tent. ', 2 + n % 4) || n, 70 ${each};
  insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id,
    message_id, network, start_date_time, credential_ids)
  select ${row('004')}, case when n * 2 < ${posts} then 'complete' else 'pending' end, 'Approved', 'API', false,
    ${id('002', `n % ${campaigns} + 1`)}, ${id('005')}, 'Twitter', ${start}, array['${credential}'] ${each};
  insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, remote_id, remote_url, published_date)
  select '${account}', ${id('007')}, now(), now(), ${id('004')}, ${id('002', `n % ${campaigns} + 1`)}, ${id('005')}, '${credential}', 'Twitter',
    'success', n::text, 'https://x.com/northwind/status/' || n, ${start} ${each} where n * 2 < ${posts};
  insert into audit_log (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
  select '${account}', ${id('0dd')}, ${start}, '', 'key', '', '127.0.0.1', 'POST /post/{id}', ${id('004')}, array['startDateTime', 'status'], 1 ${each};
  insert into quarter_hour_rollups (account_id, of_kind, name, quarter, of_id, value)
  select '${account}', 'campaign', name, date_trunc('hour', now()) - n * interval '1 hour', ${id('002', 'c')}, 1 + n % 7
  from generate_series(1, ${Math.min(hours, posts)}) n, generate_series(1, ${campaigns}) c, unnest(array['postsSent', 'likes']) as name;
  insert into daily_rollups (account_id, of_kind, name, day, of_id, value)
  select account_id, of_kind, name, (quarter at time zone 'UTC')::date, of_id, sum(value) from quarter_hour_rollups
  where account_id = '${account}' group by 1, 2, 3, 4, 5 on conflict do nothing;
  analyze campaigns, messages, posts, postlogs, audit_log, quarter_hour_rollups, daily_rollups`
}
