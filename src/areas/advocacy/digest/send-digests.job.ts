import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockFreeRows } from '#kernel/database/locks.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { BoardRow } from '../board/board-row.ts'
import { nextDigest } from '../board/board-row.ts'
import { queueDigestEmails } from './digest-email.ts'

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
