import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import { demoAdmin, demoPublisher, exampleId, newUser, serial } from '../../../tests/contract/examples.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, type TestService } from '../../../tests/support/service.ts'
import { newCampaign } from '../publishing/publishing.contract.fixture.ts'

/** The demo publisher's team. */
const europe = '025demo00000001'
/** The admin of the other account. */
const otherAdmin = '00Ademo00000005'

export const contract: AreaContract = {
  examples: {
    'GET /me': () => ({}),
    'GET /team/{id}': async (service) => ({ id: await newTeam(service) }),
    'GET /team': () => ({}),
    'POST /team': () => ({ body: { name: 'Example' } }),
    'POST /team/{id}': async (service) => ({ id: await newTeam(service), body: { name: 'Renamed' } }),
    'DELETE /team/{id}': async (service) => ({ id: await newTeam(service) }),
    'GET /team-entity/{entityId}': () => ({ id: '00Ademo00000002' }),
    'POST /team-entity/{entityId}': async (service) => ({
      id: '00Ademo00000002',
      body: { teamIds: await newTeam(service) },
    }),
    'DELETE /team-entity/{entityId}': async (service) => ({
      id: '00Ademo00000002',
      body: { teamIds: await newTeam(service) },
    }),
    'GET /user/{id}': () => ({ id: '00Ademo00000001' }),
    'GET /user': () => ({}),
    'POST /user': () => ({ body: newUser() }),
    'POST /user/{id}': () => ({ id: '00Ademo00000004', body: { firstName: 'Rina', lastName: 'Sato' } }),
    'DELETE /user/{id}': async (service) => ({
      id: (await service.admin('POST /user', { body: newUser() })).json.User.Id,
    }),
    'GET /notification': () => ({}),
    'POST /notification': () => ({ body: { EmailDaily: 0 } }),
    'POST /app/api/session': async (service) => ({ body: await withPassword(service) }),
    'GET /app/api/session': () => ({}),
    'DELETE /app/api/session': () => ({}),
    'GET /app/api/sessions': () => ({}),
    'DELETE /app/api/sessions': () => ({}),
    'DELETE /app/api/session/{id}': async ({ databaseUrl }) => ({
      id: await newSessionOf(databaseUrl, demoAccount, '00Ademo00000002'),
    }),
    'POST /app/api/password': async (service) => {
      const { password } = await withPassword(service)
      return { body: { present: password, password } }
    },
    'POST /app/api/password-reset': () => ({ body: { email: `nobody${serial()}@example.com` } }),
    'POST /app/api/password-reset/preview': async (service) => ({
      body: { token: await newLinkToken(service, 'reset') },
    }),
    'POST /app/api/password-reset/choice': async (service) => ({
      body: { token: await newLinkToken(service, 'reset'), password: 'another long password' },
    }),
    'POST /app/api/invitation': () => ({ body: { email: newUser().email, role: 'read' } }),
    'POST /app/api/invitation/choice': async (service) => ({
      body: { token: await newLinkToken(service, 'invitation'), password: 'another long password' },
    }),
    'GET /app/api/invitation': () => ({}),
    'POST /app/api/invitation/{id}/send': async (service) => ({ id: await newGuest(service) }),
    'POST /app/api/invitation/{id}/link': async (service) => ({ id: await newGuest(service) }),
    'DELETE /app/api/invitation/{id}': async (service) => ({ id: await newGuest(service) }),
    'GET /app/api/user': () => ({ body: { q: 'a' } }),
    'POST /app/api/me': () => ({ body: { timezone: 'Europe/Madrid' } }),
    'GET /app/api/account': () => ({}),
    'POST /app/api/account': () => ({ body: { name: 'Northwind Outdoor' } }),
    'GET /app/api/team': () => ({}),
    'GET /app/api/team/{id}/entity': () => ({ id: '025demo00000001' }),
    'POST /app/api/user/{id}/media-library': () => ({ id: '00Ademo00000002', body: { mediaLibrary: 1 } }),
    'GET /app/api/user/{id}/consequences': () => ({ id: '00Ademo00000002' }),
    'GET /app/api/user/{id}/role': () => ({ id: '00Ademo00000002' }),
    'GET /app/api/api-key': () => ({}),
    'POST /app/api/api-key': () => ({ body: { name: 'Example' } }),
    'DELETE /app/api/api-key/{id}': async ({ databaseUrl }) => ({ id: await newKeyOf(databaseUrl, demoAccount) }),
    'GET /app/api/saved-view': () => ({ body: { screen: 'calendar' } }),
    'POST /app/api/saved-view': () => ({ body: { screen: 'campaigns', name: 'Example', search: 'status=paused' } }),
    'DELETE /app/api/saved-view/{id}': async (service) => ({ id: await newSavedView(service) }),
    'GET /app/api/draft': () => ({}),
    'GET /app/api/draft/{id}': async (service) => ({ id: await newDraft(service) }),
    'PUT /app/api/draft/{id}': () => ({ id: `example-${serial()}`, body: { content: 'Hello' }, chosen: true }),
    'DELETE /app/api/draft/{id}': async (service) => ({ id: await newDraft(service) }),
    'GET /app/api/audit': () => ({ body: { via: 'key', _count: 25 } }),
    'GET /app/api/restricted-entity': () => ({}),
    'DELETE /app/api/restricted-entity/{entityId}': async (service) => ({ id: await newRestricted(service) }),
    'POST /app/api/user/{id}/role': async ({ admin }) => ({
      id: (await admin('POST /user', { body: newUser() })).json.User.Id,
      body: { role: 'contributor' },
    }),
  },
  audit: {
    'POST /notification': { entity: demoAdmin, requiresNothing: true },
    'POST /app/api/me': { entity: demoPublisher, requiresNothing: true },
    'POST /app/api/password': { entity: demoPublisher },
    'DELETE /app/api/sessions': { entity: demoPublisher },
    'DELETE /app/api/session': { entity: demoAccount },
    'POST /app/api/session': { signsInBy: 'password', entity: latestSession },
    'POST /app/api/password-reset/choice': { signsInBy: 'link', entity: ({ answer }) => answer.json.UserId },
    'POST /app/api/invitation/choice': { signsInBy: 'link', entity: ({ answer }) => answer.json.UserId },
    'POST /app/api/password-reset': { unlisted: 'Requesting a link for any email address changes nothing.' },
    'PUT /app/api/draft/{id}': { unlisted: 'Drafts concern only their author.' },
    'DELETE /app/api/draft/{id}': { unlisted: 'Drafts concern only their author.' },
  },
  entities: {
    draft: async ({ made, name }) => {
      const id = `draft-${name}`
      await made(`PUT /app/api/draft/${id}`, { content: name }, 'Draft')
      return id
    },
    savedView: ({ made, name }) => made('POST /app/api/saved-view', { screen: 'calendar', name, search: '' }, 'View'),
    session: ({ service, account }) =>
      newSessionOf(service.databaseUrl, account, account === demoAccount ? demoPublisher : otherAdmin),
    apiKey: ({ service, account }) => newKeyOf(service.databaseUrl, account),
    user: ({ made, name }) => {
      const user = { firstName: name, lastName: name, email: `${name}@example.com`, password: 'a long password' }
      return made('POST /user', { ...user, role: 'read' }, 'User')
    },
    team: ({ made, name }) => made('POST /team', { name }, 'Team'),
  },
  // A user who has created entities.
  known: { user: demoAdmin, team: europe },
  absent: { draft: 'absent' },
  ineffective: {
    'GET /app/api/draft/{id} id': 'Drafts are visible to their author only; the visible draft is the admin’s.',
    'DELETE /app/api/saved-view/{id} id': 'Saved views belong to their user only.',
  },
  restrictedReads: ['GET /app/api/user/{id}/role', 'GET /app/api/user/{id}/consequences', 'GET /app/api/audit'],
  listPlans: {
    examined: ['from audit_log'],
    rows: ({ each }) => [
      `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
      select account_id, '00Ab' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), 'First' || (n * 7919 % 10000), 'Last', 'bulk' || n || '@example.com', 'read' from ${each}`,
      `insert into teams (account_id, id, created, modified, name)
      select account_id, '025b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), 'Team ' || (n * 7919 % 10000) from ${each}`,
      `insert into team_entities (account_id, entity_id, team_id, created)
      select account_id, '00Ab' || lpad(n::text, 11, '0'), '025b' || lpad((n % 100 + 1)::text, 11, '0'), now() from ${each}`,
      `insert into restricted_entities (account_id, entity_id, created)
      select account_id, 'cwfb' || lpad(n::text, 11, '0'), now() from ${each}`,
      `insert into audit_log (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
      select account_id, '0ddb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), case n % 50 when 0 then 'session' else 'key' end, '', '', case n % 50 when 0 then 'DELETE /team/{id}' else 'POST /team/{id}' end, '025b' || lpad((n % 200 + 1)::text, 11, '0'), '{}', 1 from ${each}`,
      `insert into drafts (account_id, user_id, id, created, modified, kind, title, content)
      select account_id, '00Ab' || lpad((n % 10 + 1)::text, 11, '0'), 'bulk-' || n, now(), now() - n * interval '1 minute', 'post', '', '' from ${each}`,
      `insert into saved_views (account_id, id, user_id, created, modified, screen, name, search)
      select account_id, '0svb' || lpad(n::text, 11, '0'), '00Ab' || lpad((n % 40 + 1)::text, 11, '0'), now(), now(), 'calendar', 'View ' || n, '' from ${each}`,
    ],
    lists: (orders) => ({
      '/app/api/sessions': [''],
      '/app/api/invitation': [''],
      '/app/api/team': [''],
      '/app/api/team/025b00000000007/entity': [''],
      '/app/api/restricted-entity': [''],
      '/app/api/api-key': [''],
      '/app/api/saved-view': ['screen=calendar'],
      '/app/api/draft': ['', '_page=2', 'kind=reply', ...orders('modified')],
      '/user': ['', ...orders('created', 'name', 'email'), '_page=100', 'q=first1', 'q=first1&_order=name,1', 'q=zzz'],
      '/team': [
        '_count=100',
        ...orders('created', 'name').map((order) => `_count=100&${order}`),
        '_count=100&_page=50',
      ],
      '/team-entity/00Ab00000000007': [''],
      '/app/api/audit': [
        '',
        '_count=100',
        '_after=0ddb00000000100',
        'from=2026-01-01&to=2026-10-01',
        'via=session',
        'via=key',
        'userId=00Ab00000000007',
        'id=025b00000000007',
        'userId=00Ab00000000007&_after=0ddb00000000100',
        ...['DELETE /team/{id}', 'DELETE /team/{id},POST /team/{id}'].map(
          (of) => `operation=${encodeURIComponent(of)}`,
        ),
      ],
      '/app/api/user': ['', '_page=3', 'q=first1', ...orders('created', 'name', 'email')],
    }),
    sorted: ['from "restricted_entities"', 'from "saved_views"'],
  },
  notified: [{ kind: 'team', table: 'teams', unseen: [] }],
}

const newTeam = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /team', { body: { name: 'Example' } })).json.Team.Id

async function latestSession({ databaseUrl }: { databaseUrl: string }): Promise<string> {
  const [row] = await ownerQuery<{ id: string }>(databaseUrl, 'select max(id) as id from sessions')
  return row?.id ?? ''
}

/** Gives the demo's publisher a password. */
const withPassword = async ({ admin }: TestService) => {
  const password = 'a password of the tests'
  await admin('POST /user/00Ademo00000002', { body: { password } })
  return { email: 'pablo.reyes@example.com', password }
}

/** Invited an hour ago. */
const newGuest = async ({ admin, databaseUrl }: TestService): Promise<string> => {
  const { json } = await admin('POST /app/api/invitation', { body: { email: newUser().email, role: 'read' } })
  await ownerQuery(databaseUrl, `update users set invited = invited - interval '1 hour' where id = $1`, [json.User.Id])
  return json.User.Id
}

/** An API key of the demo's publisher, or of the other account's admin. */
const newKeyOf = async (databaseUrl: string, account: string): Promise<string> => {
  const id = exampleId('key')
  const user = account === demoAccount ? '00Ademo00000002' : '00Ademo00000005'
  await ownerQuery(
    databaseUrl,
    `insert into api_keys (account_id, id, user_id, created, name, digest) values ($1, $2, $3, now(), 'Example', sha256($2::text::bytea))`,
    [account, id, user],
  )
  return id
}

/** A session of a different user each time, since sessions are only created by signing in. */
const newSessionOf = async (databaseUrl: string, account: string, user: string): Promise<string> => {
  const id = exampleId('0ss')
  await ownerQuery(
    databaseUrl,
    `insert into sessions (account_id, id, user_id, created, last_used, ends, address, agent, digest)
    values ($1, $2, $3, now(), now(), now() + interval '1 day', '', '', sha256($2::text::bytea))`,
    [account, id, user],
  )
  return id
}

/** Inserted as a row: the token is sent by email only. */
export const newLinkToken = async (
  { admin, databaseUrl }: TestService,
  purpose: string,
  user?: string,
): Promise<string> => {
  const Id = user ?? (await admin('POST /user', { body: newUser() })).json.User.Id
  const secret = String(serial()).padStart(43, 'x')
  await ownerQuery(
    databaseUrl,
    `insert into sign_in_links (account_id, user_id, purpose, created, ends, digest)
    values ($1, $2, $3, now(), now() + interval '1 hour', sha256($4::text::bytea))`,
    [demoAccount, Id, purpose, secret],
  )
  return `${demoAccount}.${secret}`
}

const newRestricted = async (service: TestService): Promise<string> => {
  const [team, campaign] = [await newTeam(service), await newCampaign(service)]
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: team } })
  await service.admin(`DELETE /team/${team}`)
  return campaign
}

/** A draft of the publisher. */
async function newDraft({ publisher }: TestService): Promise<string> {
  const id = `draft-${serial()}`
  await publisher(`PUT /app/api/draft/${id}`, { body: { content: 'Hello' } })
  return id
}

const newSavedView = async ({ publisher }: TestService): Promise<string> =>
  (
    await publisher('POST /app/api/saved-view', {
      body: { screen: 'calendar', name: `Example ${serial()}`, search: '' },
    })
  ).json.View.Id
