import { sql } from 'kysely'
import type { AuditEntry, Subject } from './audit-entry.ts'
import { collectChanges } from './changes/change-feed.ts'
import type { Context, Remark } from './context.ts'
import { later } from './database/database.ts'
import type { Installation } from './installation.ts'

/** Who makes a change, and when. */
export type Actor = Pick<Context, 'accountId' | 'userId' | 'role' | 'now' | 'via' | 'visitor' | 'expected'> & {
  readonly remark?: Remark | undefined
  /** What the audit log is to say of it. Nothing where nobody asked for the change, or where it is a step of a larger one. */
  readonly auditEntry: AuditEntry | undefined
}

/** What a change needs of the installation: nothing that is outside. */
export type ChangeInstallation = Omit<Installation, 'clock' | 'outbound' | 'files' | 'apps'>

/** The service itself or its operator, with an admin's rights. */
export const systemActor = (accountId: string, now: Date): Actor => ({
  accountId,
  userId: '',
  role: 'admin',
  now,
  auditEntry: undefined,
})

/** What is different for whoever changes something and whoever only reads: the database, and what they may tell. */
type Reach = Pick<Context, 'db' | 'announce' | 'about' | 'notifyChange'>

/** What an actor works with. Spelled out name by name: an object that is put together of others takes longer than finding a row. */
export const contextOf = (
  { keyring, publicUrl, shortUrl, lateness, accountLimits, appOptions, react }: ChangeInstallation,
  { accountId, userId, role, now, via, visitor, expected, remark = unheard }: Actor,
  { db, announce, about, notifyChange }: Reach,
): Context => ({
  db,
  accountId,
  userId,
  role,
  via,
  visitor,
  expected,
  now,
  keyring,
  accountLimits,
  publicUrl: publicUrl(),
  shortUrl: shortUrl(),
  lateness,
  appOptions,
  react,
  announce,
  about,
  notifyChange,
  remark,
})

/**
 * Makes a change in one transaction, which ends with what the audit log says of it and its hints. What it announces other processes hear by
 * NOTIFY at the commit; this one is told right after, before anybody gets an answer.
 */
export async function change<Result>(
  installation: ChangeInstallation,
  actor: Actor,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { database, listener, recordAuditEntry } = installation
  let announced: [channel: string, payload: string][] = []
  const result = await database.transaction(actor.accountId, async (db) => {
    // Anew for each try: what an undone try announced was undone with it.
    announced = []
    let { id, count }: Subject = {}
    const hints = collectChanges()
    const announce = async (channel: string, payload: string) => {
      await later(db, sql`select pg_notify(${channel}, ${payload})`)
      announced.push([channel, payload])
    }
    const about = (more: Subject) => {
      id ??= more.id
      count ??= more.count
    }
    const context = contextOf(installation, actor, { db, announce, about, notifyChange: hints.add })
    const made = await work(context)
    if (actor.auditEntry) await recordAuditEntry(context, actor.auditEntry, { id, count })
    await hints.write(context)
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
