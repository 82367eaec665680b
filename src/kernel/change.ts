import { sql } from 'kysely'
import type { Context, Remark } from './context.ts'
import { later } from './database/database.ts'
import { gatherHints } from './hints/hints.ts'
import type { Installation } from './installation.ts'

/** Who makes a change, and when. */
export type Actor = Pick<Context, 'accountId' | 'userId' | 'role' | 'now' | 'via' | 'visitor'> & {
  readonly remark?: Remark | undefined
}

/** What a change needs of its installation: nothing that is outside. */
export type ChangeInstallation = Omit<Installation, 'clock' | 'outbound' | 'files'>

/** The service itself or its operator, with an admin's rights. */
export const systemActor = (accountId: string, now: Date): Actor => ({ accountId, userId: '', role: 'admin', now })

/**
 * Makes a change in one transaction. What it announces other processes hear by NOTIFY at the commit; this one is told right
 * after, before anybody gets an answer. Its hints are the last that it writes.
 */
export async function change<Result>(
  { database, listener, keyring, publicUrl, shortUrl, lateness, accountLimits }: ChangeInstallation,
  { accountId, userId, role, now, via, visitor, remark = unheard }: Actor,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  let announced: [channel: string, payload: string][] = []
  const result = await database.transaction(accountId, async (db) => {
    // Anew for each try: what an undone try announced was undone with it.
    announced = []
    const hints = gatherHints()
    const announce = async (channel: string, payload: string) => {
      await later(db, sql`select pg_notify(${channel}, ${payload})`)
      announced.push([channel, payload])
    }
    const shared = { keyring, publicUrl: publicUrl(), shortUrl: shortUrl(), lateness, accountLimits }
    const who = { db, accountId, userId, role, now, via, visitor }
    const made = await work({ ...who, ...shared, announce, hint: hints.add, remark })
    await hints.write(who)
    return made
  })
  for (const [channel, payload] of announced) listener?.tell(channel, payload)
  return result
}

/** Makes a change that somebody asked for, when it is the turn of their account. */
export const changeInTurn: typeof change = (world, actor, work) =>
  world.database.thread.inTurn(actor.accountId, () => change(world, actor, work))

/** Jobs and commands tell what they do in their own words. */
const unheard: Remark = () => {}
