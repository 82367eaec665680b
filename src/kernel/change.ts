import { sql } from 'kysely'
import type { Context, Remark } from './context.ts'
import { later } from './database/database.ts'
import type { Surroundings } from './surroundings.ts'

/** Who makes a change, and when. */
export type Actor = Pick<Context, 'accountId' | 'userId' | 'role' | 'now' | 'via' | 'visitor'> & {
  readonly remark?: Remark | undefined
}

/** What a change needs of its surroundings: nothing that is outside. */
export type ChangeWorld = Omit<Surroundings, 'clock' | 'outbound' | 'files'>

/** The service itself or its operator, with an admin's rights. */
export const systemActor = (accountId: string, now: Date): Actor => ({ accountId, userId: '', role: 'admin', now })

/**
 * Makes a change in one transaction. What it announces other processes hear by NOTIFY at the commit; this one is told right
 * after, before anybody gets an answer.
 */
export async function change<Result>(
  { database, listener, keyring, publicUrl, shortUrl, lateness, accountLimits }: ChangeWorld,
  { accountId, userId, role, now, via, visitor, remark = unheard }: Actor,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  let announced: [channel: string, payload: string][] = []
  const result = await database.transaction(accountId, (db) => {
    // Anew for each try: what an undone try announced was undone with it.
    announced = []
    const announce = async (channel: string, payload: string) => {
      await later(db, sql`select pg_notify(${channel}, ${payload})`)
      announced.push([channel, payload])
    }
    const shared = { keyring, publicUrl: publicUrl(), shortUrl: shortUrl(), lateness, accountLimits }
    return work({ db, accountId, userId, role, now, via, visitor, ...shared, announce, remark })
  })
  for (const [channel, payload] of announced) listener?.tell(channel, payload)
  return result
}

/** Makes a change that somebody asked for, when it is the turn of their account. */
export const changeInTurn: typeof change = (world, actor, work) =>
  world.database.thread.inTurn(actor.accountId, () => change(world, actor, work))

/** Jobs and commands tell what they do in their own words. */
const unheard: Remark = () => {}
