import { sql } from 'kysely'
import type { AuditEntry, Subject } from './audit-entry.ts'
import { collectChanges, notifyFeeds } from './changes/change-feed.ts'
import type { Context, Remark } from './context.ts'
import { later } from './database/database.ts'
import type { Installation } from './installation.ts'

/** Who makes a change, and when. */
export type Actor = Pick<Context, 'accountId' | 'userId' | 'role' | 'now' | 'via' | 'visitor' | 'expected'> & {
  readonly remark?: Remark | undefined
  /** Entry for the audit log. Undefined if no caller requested the change, or if it is a step of a larger one. */
  readonly auditEntry: AuditEntry | undefined
}

/** The parts of the installation that a change needs; external I/O is excluded. */
export type ChangeInstallation = Omit<Installation, 'clock' | 'outbound' | 'files' | 'apps'>

/** The service itself or its operator, with admin rights. */
export const systemActor = (accountId: string, now: Date): Actor => ({
  accountId,
  userId: '',
  role: 'admin',
  now,
  auditEntry: undefined,
})

/** The parts that differ between changes and reads: the database handle and the notification functions. */
type Reach = Pick<Context, 'db' | 'attempt' | 'announce' | 'about' | 'notifyChange'>

/** Builds the context of an actor. Properties are listed one by one because object spread takes longer than finding a row. */
export const contextOf = (
  { keyring, publicUrl, shortUrl, lateness, accountLimits, appOptions, react }: ChangeInstallation,
  { accountId, userId, role, now, via, visitor, expected, remark = ignoreRemark }: Actor,
  { db, attempt, announce, about, notifyChange }: Reach,
): Context => ({
  db,
  attempt,
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
 * Makes a change in one transaction, which ends with its audit entry and change notifications. Other processes receive announcements by
 * NOTIFY at commit; this process applies them right after it, before the response is sent.
 */
export async function change<Result>(
  installation: ChangeInstallation,
  actor: Actor,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { database, listener, feedNotifier, recordAuditEntry } = installation
  let announcements: [channel: string, payload: string][] = []
  let isInFeed = false
  const result = await database.transaction(actor.accountId, async (db, attempt) => {
    // Reset for each attempt: announcements of a rolled-back attempt were rolled back with it.
    announcements = []
    let { id, count }: Subject = {}
    const notifications = collectChanges()
    const announce = async (channel: string, payload: string) => {
      await later(db, sql`select pg_notify(${channel}, ${payload})`)
      announcements.push([channel, payload])
    }
    const about = (more: Subject) => {
      id ??= more.id
      count ??= more.count
    }
    const context = contextOf(installation, actor, { db, attempt, announce, about, notifyChange: notifications.add })
    const made = await work(context)
    if (actor.auditEntry) await recordAuditEntry(context, actor.auditEntry, { id, count })
    isInFeed = await notifications.write(context)
    return made
  })
  for (const [channel, payload] of announcements) listener?.deliver(channel, payload)
  if (!isInFeed) return result
  if (feedNotifier) feedNotifier.notify(actor.accountId)
  else await notifyFeeds(database, [actor.accountId]).catch(() => {})
  return result
}

/** Makes a requested change when it is the account's turn on the event loop. */
export const changeInTurn: typeof change = (installation, actor, work) =>
  installation.database.thread.inTurn(actor.accountId, () => change(installation, actor, work))

/** Jobs and commands write their own log lines. */
const ignoreRemark: Remark = () => {}
