import { createHash, randomBytes } from 'node:crypto'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { advocacyIds } from '#areas/advocacy/declarations.ts'
import { phaseAt, type StoryRow } from '#areas/advocacy/story/story.ts'
import { sealSecret } from '#areas/profiles/access/profile-row.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { newId } from '#kernel/ids.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { type Caller, sessionCaller } from './caller.ts'
import { ownerQuery } from './database/owner.ts'

export interface Place {
  /** URL of the service. */
  url: string
  databaseUrl: string
  account: string
  /** The keyring of the service, as text. */
  keys: string
  /** The sandbox's control API. */
  control(path: string, body: object): Promise<unknown>
}

export interface Advocate {
  id: string
  /** Calls like a page of the service, in the advocate's session. */
  ask: Caller
  cookie: string
}

interface StoryOptions {
  campaignId?: string
  title?: string
  description?: string
  linkUrl?: string
  featured?: boolean
  /** Text variants offered for one network. */
  variants?: readonly string[]
  network?: string
  published?: Date
  expires?: Date
  status?: StoryRow['status']
  topicIds?: readonly string[]
}

const soon = 30 * 24 * 60 * 60 * 1000

/** Inserts boards, stories, advocates and their profiles in their final state. */
export function placeAdvocacy({ url, databaseUrl, account, keys, control }: Place) {
  const query = <Row extends object>(text: string, values: unknown[]) => ownerQuery<Row>(databaseUrl, text, values)

  const board = async (settings: { [column: string]: unknown } = {}): Promise<string> => {
    const id = newId(scopeIds.board, new Date())
    const given = { name: `Board ${id}`, slug: id.toLowerCase() + randomBytes(3).toString('hex'), ...settings }
    const columns = Object.keys(given)
    await query(
      `insert into boards (account_id, id, created, modified, created_by, modified_by, ${columns.join(', ')})
      values ($1, $2, now(), now(), '', '', ${columns.map((_, index) => `$${index + 3}`).join(', ')})`,
      [account, id, ...Object.values(given)],
    )
    return id
  }

  const topic = async (boardId: string, name: string): Promise<string> => {
    const id = newId(advocacyIds.topic, new Date())
    await query(
      `insert into topics (account_id, id, board_id, created, modified, created_by, name) values ($1, $2, $3, now(), now(), '', $4)`,
      [account, id, boardId, name],
    )
    return id
  }

  /** A signed-in user who accepted an invitation to the board; without a role unless one is given. */
  const advocate = async (boardId: string, { role = 'contributor', user = '' } = {}): Promise<Advocate> => {
    const id = user || newId(accountIds.user, new Date())
    if (!user)
      await query(
        `insert into users (account_id, id, created, modified, first_name, last_name, email) values ($1, $2, now(), now(), 'Alma', $2, $3)`,
        [account, id, `${id.toLowerCase()}${randomBytes(3).toString('hex')}@example.com`],
      )
    await query(
      `insert into board_members (account_id, board_id, user_id, created, invited_by, invited, accepted, role)
      values ($1, $2, $3, now(), '', now(), now(), $4)`,
      [account, boardId, id, role],
    )
    const secret = randomBytes(32).toString('base64url')
    await query(
      `insert into sessions (account_id, id, user_id, created, last_used, ends, address, agent, digest)
      values ($1, $2, $3, now(), now(), now() + interval '1 day', '', '', $4)`,
      [account, newId(accountIds.session, new Date()), id, createHash('sha256').update(secret).digest()],
    )
    const cookie = `chorus=${account}.${secret}`
    return { id, cookie, ask: sessionCaller(url, cookie) }
  }

  const story = async (boardId: string, options: StoryOptions = {}): Promise<string> => {
    const { campaignId = '002demo00000001', variants = [], network = 'Twitter', status = 'approved' } = options
    const { title = 'A story', description = 'What it is about.', linkUrl = null, featured = false } = options
    const { published = new Date(Date.now() - 60_000), expires = new Date(Date.now() + soon), topicIds = [] } = options
    const id = newId(advocacyIds.story, new Date())
    const { phase } = phaseAt({ status, publishDate: published, expirationDate: expires }, new Date())
    await query(
      `insert into stories (account_id, id, created, modified, created_by, modified_by, board_id, campaign_id, publish_date, expiration_date,
        is_featured, title, description, status, link_url, phase) values ($1, $2, now(), now(), '', '', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [account, id, boardId, campaignId, published, expires, featured, title, description, status, linkUrl, phase],
    )
    for (const [position, message] of variants.entries()) {
      const messageId = newId(publishingIds.message, new Date())
      await query(
        `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, message, type, is_board_message)
        values ($1, $2, now(), now(), '', '', $3, $4, $5, 'status-update', true)`,
        [account, messageId, campaignId, network, message],
      )
      await query('insert into story_messages (account_id, story_id, message_id, position) values ($1, $2, $3, $4)', [
        account,
        id,
        messageId,
        position,
      ])
    }
    for (const topicId of topicIds)
      await query('insert into story_topics (account_id, story_id, topic_id) values ($1, $2, $3)', [
        account,
        id,
        topicId,
      ])
    return id
  }

  /** A user's own profile at a sandbox network, connected as by a login; without a sandbox only a row. */
  const profile = async (
    userId: string,
    network = 'Twitter',
    kind = 'account',
  ): Promise<{ id: string; remoteId: string }> => {
    const made = (await control('/profile', {
      network,
      kind,
      name: `Own ${userId}`,
      expiresInSeconds: 30 * 24 * 3600,
    })) as {
      id: string
      username: string
      accessToken: string
      refreshToken: string | null
      scopes: string[]
    }
    const { id: remoteId, username, accessToken, refreshToken, scopes } = made
    const id = `003-1-${remoteId}`
    const secret = { accessToken, scopes, ...(refreshToken && { refreshToken }) }
    await query(
      `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username,
        image_link, status, board_only, secret) values ($1, $2, now(), now(), $3, $4, $5, $6, $7, $8, '', 'valid', true, $9)`,
      [
        account,
        id,
        userId,
        network,
        remoteId,
        kind,
        `Own ${userId}`,
        username,
        sealSecret(readKeyring(keys), { accountId: account, id }, secret),
      ],
    )
    return { id, remoteId }
  }

  return { board, topic, advocate, story, profile, query }
}

export type PlacedAdvocacy = ReturnType<typeof placeAdvocacy>
