import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { holdName } from '#kernel/database/locks.ts'
import { invalid, Refusal } from '#kernel/errors.ts'

const GiB = 1024 ** 3
const day = 24 * 60 * 60 * 1000

export const largestFile = 8 * GiB
export const largestDay = 32 * GiB

/** Sets aside bytes of the account's day for an upload; whoever comes at the same moment waits, so that none is given twice. */
export async function reserve(context: Context, upload: { id: string; bytes: number }) {
  const { db, accountId, now } = context
  if (upload.bytes > largestFile) throw tooLarge(upload.bytes)
  await holdName(db, 'uploadsOfDay', accountId)
  const since = new Date(now.getTime() - day)
  const { rows } = await sql<{ used: number; oldest: Date | null }>`
    select coalesce(sum(reserved), 0)::bigint as used, min(created) as oldest from uploads
    where account_id = ${accountId} and created > ${since} and id <> ${upload.id}`.execute(db)
  const [{ used, oldest } = { used: 0, oldest: null }] = rows
  if (used + upload.bytes <= largestDay) return
  const retryAfter = oldest ? Math.max(1, Math.ceil((oldest.getTime() + day - now.getTime()) / 1000)) : 60
  const sentence = `The uploads of the last 24 hours would exceed 32 GiB: ${gib(used)} are used, the file has ${gib(upload.bytes)}.`
  throw new Refusal('limited', sentence, { retryAfter })
}

export const tooLarge = (bytes: number) => invalid(`A file may have at most 8 GiB; this one has ${gib(bytes)}.`)

const gib = (bytes: number) => `${(bytes / GiB).toFixed(2)} GiB`
