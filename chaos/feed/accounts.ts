import { ownerQuery } from '#kernel/database/owner.ts'
import { keyDigest } from '#kernel/identities.ts'

export interface FeedUser {
  id: string
  role: 'admin' | 'publisher' | 'contributor' | 'read'
  teams: string[]
  key: string
}

/** Empty if everybody can see it; a team without members if only admins can. */
interface FeedCampaign {
  id: string
  teams: string[]
  messageId: string
}

export interface FeedAccount {
  id: string
  users: FeedUser[]
  campaigns: FeedCampaign[]
  credentialId: string
}

const roles = ['admin', 'publisher', 'contributor', 'read'] as const
const teamsEach = 3

/** Fills an empty database with accounts that have users of every role and team, and campaigns of every visibility. */
export async function createAccounts(databaseUrl: string, accounts: number, usersEach: number, random: () => number) {
  const world: FeedAccount[] = []
  for (let number = 0; number < accounts; number++) {
    const account = accountOf(number, usersEach, random)
    await insert(databaseUrl, account)
    world.push(account)
  }
  return world
}

const id = (prefix: string, account: number, number: number) =>
  `${prefix}f${String(account).padStart(4, '0')}${String(number).padStart(7, '0')}`

function accountOf(number: number, usersEach: number, random: () => number): FeedAccount {
  const teams = Array.from({ length: teamsEach }, (_, team) => id('025', number, team))
  const some = () => teams.filter(() => random() < 0.4)
  const users = Array.from({ length: usersEach }, (_, user) => ({
    id: id('00A', number, user),
    role: roles[user % roles.length] as FeedUser['role'],
    teams: some(),
    key: `feed-key-${number}-${user}`,
  }))
  const reaches = [[], teams.slice(0, 1), teams.slice(1, 2), teams.slice(1), [nobodys]]
  const campaigns = reaches.map((reach, campaign) => ({
    id: id('002', number, campaign),
    teams: reach,
    messageId: id('005', number, campaign),
  }))
  return { id: id('001', number, 0), users, campaigns, credentialId: `003-${number}-feed` }
}

const nobodys = 'nobody'

async function insert(databaseUrl: string, { id: account, users, campaigns, credentialId }: FeedAccount) {
  const query = (text: string, ...values: unknown[]) => ownerQuery(databaseUrl, text, [account, ...values])
  const timestamps = 'now(), now()'
  await query(`insert into accounts (id, created, modified, name) values ($1, ${timestamps}, $1)`)
  const teams = [...new Set([...users, ...campaigns].flatMap((one) => one.teams))].filter((team) => team !== nobodys)
  await query(
    `insert into teams (account_id, id, created, modified, name) select $1, t, ${timestamps}, t from unnest($2::text[]) t`,
    teams,
  )
  await query(
    `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
     select $1, u.id, ${timestamps}, 'Feed', u.id, u.id || '@example.com', u.role from unnest($2::text[], $3::text[]) u (id, role)`,
    users.map((user) => user.id),
    users.map(({ role }) => role),
  )
  await query(
    `insert into api_keys (account_id, id, user_id, created, name, digest)
     select $1, 'key' || right(k.id, 12), k.id, now(), 'Feed', k.digest from unnest($2::text[], $3::bytea[]) k (id, digest)`,
    users.map((user) => user.id),
    users.map(({ key }) => keyDigest(key)),
  )
  await query(
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
     select $1, c, ${timestamps}, '', '', c, 'active', '#2456D6' from unnest($2::text[]) c`,
    campaigns.map((campaign) => campaign.id),
  )
  await query(
    `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message)
     select $1, m.id, ${timestamps}, '', '', m.campaign, 'LinkedIn', 'status-update', 'Feed' from unnest($2::text[], $3::text[]) m (id, campaign)`,
    campaigns.map(({ messageId }) => messageId),
    campaigns.map((campaign) => campaign.id),
  )
  const pairs = [...users, ...campaigns].flatMap((one) => one.teams.map((team) => ({ entity: one.id, team })))
  const real = pairs.filter(({ team }) => team !== nobodys)
  await query(
    `insert into team_entities (account_id, entity_id, team_id, created)
     select $1, e.entity, e.team, now() from unnest($2::text[], $3::text[]) e (entity, team)`,
    real.map(({ entity }) => entity),
    real.map(({ team }) => team),
  )
  await query(
    'insert into restricted_entities (account_id, entity_id, created) select $1, e, now() from unnest($2::text[]) e',
    campaigns.filter((campaign) => campaign.teams.includes(nobodys)).map((campaign) => campaign.id),
  )
  await query(
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
     values ($1, $2, ${timestamps}, '', 'LinkedIn', $2, 'page', 'Feed', 'feed', '', 'valid')`,
    credentialId,
  )
}
