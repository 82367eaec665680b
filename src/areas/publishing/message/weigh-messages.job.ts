import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { lengthOf, wordsOf } from './message-content.ts'

const atOnce = 200

/** Computes the length and digest of texts stored before these columns existed. */
export const weighMessagesJob = job<Record<string, never>>('publishing.weigh-messages', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      while (!context.signal.aborted && (await context.transaction(id, weighSome)) === atOnce);
    }),
})

async function weighSome({ db, accountId }: Context): Promise<number> {
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'network', 'message'])
    .where('accountId', '=', accountId)
    .where('words', 'is', null)
    .orderBy('id')
    .limit(atOnce)
    .modifyEnd(lockRows('messages', 'update'))
    .execute()
  if (messages.length === 0) return 0
  await sql`
    update messages m set message_length = w.length, words = w.words
    from unnest(${messages.map(({ id }) => id)}::text[], ${messages.map(lengthOf)}::int[],
      ${messages.map(({ message }) => wordsOf(message))}::text[]) as w (id, length, words)
    where m.account_id = ${accountId} and m.id = w.id`.execute(db)
  return messages.length
}
