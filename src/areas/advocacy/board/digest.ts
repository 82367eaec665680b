import { sql } from 'kysely'
import { change } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { lockFreeRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Mail } from '#kernel/mail/mail.ts'
import { queueMails } from '#kernel/mail/send-mail.job.ts'
import { notifyAdvocateChanged } from '../advocate/membership.ts'
import { openStories } from '../share/board-story.ts'
import { type BoardRow, nextDigest } from './board-row.ts'

interface Due {
  accountId: string
  boardId: string
  /** Scheduled time of the digest. */
  moment: string
}

const writeDigest = { name: 'advocacy.write-digest', queue: 'mail' } as const

/** Finds boards with a due digest and schedules the next one in the same transaction, so that none is sent twice. */
export const sendDigestsJob = job<Record<string, never>>('advocacy.send-digests', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, planDue)),
})

/** Queues the emails of one digest in batches; a retry continues with the remaining members. */
export const writeDigestJob = job<Due>(writeDigest.name, {
  ...writeDigest,
  timeout: 600_000,
  async run({ transaction, signal }, { accountId, boardId, moment }) {
    let after: string | undefined = ''
    while (after !== undefined && !signal.aborted) {
      const from: string = after
      after = await transaction(accountId, (context) =>
        queueDigestEmails(context, { boardId, moment: new Date(moment), after: from }),
      )
    }
  },
})

async function planDue(context: Context) {
  const { db, accountId, now } = context
  const { rows } = await sql<BoardRow>`
    select * from boards where account_id = ${accountId} and digest_due <= ${now} and status = 'active' and notifications_enabled
    order by id ${lockFreeRows('boards', 'no key update')}`.execute(db)
  for (const board of rows) {
    await db
      .updateTable('boards')
      .set({ digestDue: nextDigest(board, now) })
      .where('accountId', '=', accountId)
      .where('id', '=', board.id)
      .execute()
    const moment = (board.digestDue ?? now).toISOString()
    await enqueue(context, writeDigest, { accountId, boardId: board.id, moment })
  }
}

interface DigestBatch {
  boardId: string
  moment: Date
  /** Continues after this user. */
  after: string
}

const atOnce = 200
const mostStories = 10
const day = 24 * 60 * 60 * 1000

/** Queues a batch of a board's digest emails, and returns the cursor; undefined when all are queued. */
async function queueDigestEmails(
  context: Context,
  { boardId, moment, after }: DigestBatch,
): Promise<string | undefined> {
  const board = await boardOf(context, boardId)
  if (!board) return undefined
  // Stories since the previous digest.
  const since = new Date(moment.getTime() - (board.notificationsDay === null ? 1 : 7) * day)
  const stories = await openStories(context, boardId)
    .select(['id', 'title', 'description', 'isFeatured'])
    .where('publishDate', '>', since)
    .orderBy('isFeatured', 'desc')
    .orderBy('publishDate', 'desc')
    .orderBy('id')
    .limit(mostStories)
    .execute()
  if (stories.length === 0) return undefined
  const ids = stories.map(({ id }) => id)
  const readers = await readersAfter(context, boardId, after, ids)
  const recipients = readers.filter(({ shared }) => shared.length < stories.length)
  const unsent = await markSent(
    context,
    boardId,
    moment,
    recipients.map(({ userId }) => userId),
  )
  const mails = recipients
    .filter(({ userId }) => unsent.has(userId))
    .map((recipient) =>
      digestEmail(
        context,
        board,
        recipient,
        stories.filter(({ id }) => !recipient.shared.includes(id)),
      ),
    )
  await queueMails(context, mails)
  return readers.length === atOnce ? readers.at(-1)?.userId : undefined
}

interface Reader {
  userId: string
  email: string
  firstName: string
  /** Stories they have already shared. */
  shared: string[]
}

async function readersAfter(
  { db, accountId }: Context,
  boardId: string,
  after: string,
  storyIds: readonly string[],
): Promise<Reader[]> {
  const { rows } = await sql<Reader>`
    select m.user_id, u.email, u.first_name, array(
      select distinct s.story_id from shares s where s.account_id = ${accountId} and s.board_id = ${boardId} and s.user_id = m.user_id
        and s.story_id = any (${storyIds}) and s.status <> 'error') as shared
    from board_members m
    join users u on u.account_id = ${accountId} and u.id = m.user_id and u.status = 'active'
    where m.account_id = ${accountId} and m.board_id = ${boardId} and m.user_id > ${after} and m.accepted is not null and m.wants_digest
    order by m.user_id limit ${atOnce}`.execute(db)
  return rows
}

/** Members without an email for this digest; marks them as sent. */
async function markSent({ db, accountId }: Context, boardId: string, moment: Date, userIds: readonly string[]) {
  if (userIds.length === 0) return new Set<string>()
  const { rows } = await sql<{ userId: string }>`
    insert into digest_emails (account_id, board_id, user_id, moment)
    select ${accountId}, ${boardId}, r.id, ${moment} from unnest(${userIds}::text[]) as r (id)
    on conflict do nothing returning user_id`.execute(db)
  return new Set(rows.map(({ userId }) => userId))
}

const boardOf = ({ db, accountId }: Context, id: string): Promise<BoardRow | undefined> =>
  db
    .selectFrom('boards')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst()

function digestEmail(
  context: Context,
  board: BoardRow,
  { email, firstName, userId }: Reader,
  stories: readonly { title: string | null; description: string }[],
): Mail {
  const url = unsubscribeUrl(context, { boardId: board.id, userId })
  const lines = stories.map(({ title, description }) => `- ${headline(title || description)}`)
  return {
    to: email,
    subject: `New on ${board.name}: ${headline(stories[0]?.title || stories[0]?.description || '')}`,
    unsubscribeUrl: url,
    text: `Hello ${firstName || email},

there is something new to share on ${board.name}:

${lines.join('\n')}

Look at it here: ${context.publicUrl}/app

To get no more of these letters: ${url}`,
  }
}

/** One shortened line. */
function headline(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}

/** An advocate's digest of one board. */
interface Subscription {
  boardId: string
  userId: string
}

const purpose = 'digest unsubscribe'

/** Signed one-click URL that ends an advocate's digest of a board. */
function unsubscribeUrl({ keyring, publicUrl, accountId }: Context, { boardId, userId }: Subscription): string {
  const token = keyring.encrypt(JSON.stringify({ accountId, boardId, userId }), purpose)
  return `${publicUrl}/app/unsubscribe?token=${encodeURIComponent(token)}`
}

/** Idempotent. Returns the board's name; undefined if the advocate left it. */
export async function unsubscribe(installation: Installation, token: string): Promise<string | undefined> {
  const { accountId, boardId, userId } = readToken(installation, token)
  const actor = { accountId, userId, role: 'advocate', now: installation.clock.now(), auditEntry: undefined } as const
  return change(installation, actor, async (context) => {
    const { db } = context
    await db
      .updateTable('boardMembers')
      .set({ wantsDigest: false })
      .where('accountId', '=', accountId)
      .where('boardId', '=', boardId)
      .where('userId', '=', userId)
      .execute()
    notifyAdvocateChanged(context, boardId, userId)
    const board = await db
      .selectFrom('boards')
      .select('name')
      .where('accountId', '=', accountId)
      .where('id', '=', boardId)
      .executeTakeFirst()
    return board?.name
  })
}

/** Rejects invalid tokens without further details. */
export function readToken({ keyring }: Installation, token: string): Subscription & { accountId: string } {
  try {
    return JSON.parse(keyring.decrypt(token, purpose))
  } catch {
    throw invalid('This address is not complete, or too old. Change the setting on the board itself.')
  }
}
