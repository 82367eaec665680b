import { sql } from 'kysely'
import type { Context, Remark } from './context.ts'
import { later } from './database/database.ts'
import type { Deed, Subject } from './deed.ts'
import { gatherHints } from './hints/hints.ts'
import type { Installation } from './installation.ts'

/** Who makes a change, and when. */
export type Actor = Pick<Context, 'accountId' | 'userId' | 'role' | 'now' | 'via' | 'visitor'> & {
  readonly remark?: Remark | undefined
  /** What the audit log is to say of it. Nothing where nobody asked for the change, or where it is a step of a larger one. */
  readonly deed: Deed | undefined
}

/** What a change needs of the installation: nothing that is outside. */
export type ChangeInstallation = Omit<Installation, 'clock' | 'outbound' | 'files'>

/** The service itself or its operator, with an admin's rights. */
export const systemActor = (accountId: string, now: Date): Actor => ({
  accountId,
  userId: '',
  role: 'admin',
  now,
  deed: undefined,
})

/**
 * Makes a change in one transaction, which ends with what the audit log says of it and its hints. What it announces other processes hear by
 * NOTIFY at the commit; this one is told right after, before anybody gets an answer.
 */
export async function change<Result>(
  { database, listener, keyring, publicUrl, shortUrl, lateness, accountLimits, react, recordDeed }: ChangeInstallation,
  { accountId, userId, role, now, via, visitor, remark = unheard, deed }: Actor,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  let announced: [channel: string, payload: string][] = []
  const result = await database.transaction(accountId, async (db) => {
    // Anew for each try: what an undone try announced was undone with it.
    announced = []
    let subject: Subject = {}
    const hints = gatherHints()
    const announce = async (channel: string, payload: string) => {
      await later(db, sql`select pg_notify(${channel}, ${payload})`)
      announced.push([channel, payload])
    }
    const about = (more: Subject) => {
      subject = { ...more, ...subject }
    }
    const shared = { keyring, publicUrl: publicUrl(), shortUrl: shortUrl(), lateness, accountLimits, react }
    const who = { db, accountId, userId, role, now, via, visitor }
    const made = await work({ ...who, ...shared, announce, about, hint: hints.add, remark })
    if (deed) await recordDeed(db, { ...deed, ...subject, accountId, userId, via, visitor, now })
    await hints.write(who)
    return made
  })
  for (const [channel, payload] of announced) listener?.tell(channel, payload)
  return result
}

/** Makes a change that somebody asked for, when it is the turn of their account. */
export const changeInTurn: typeof change = (installation, actor, work) =>
  installation.database.thread.inTurn(actor.accountId, () => change(installation, actor, work))

/** Jobs and commands tell what they do in their own words. */
const unheard: Remark = () => {}
