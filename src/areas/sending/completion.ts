import { sql } from 'kysely'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { type Ended, keyOf, type Sendable, type SendKey } from './sendable.ts'

/**
 * Writes down how sends of an account ended, together with everything that follows from it, all in one transaction. Tells of each
 * whether it stands: what another process has by now, or nobody any more, does not.
 */
export const complete = (
  installation: ProfileInstallation,
  sendable: Sendable,
  accountId: string,
  ends: readonly Ended[],
) =>
  change(installation, systemActor(accountId, installation.clock.now()), async (context) => {
    // Where the content is gone nothing follows.
    const known = ends.filter(({ content }) => content !== undefined)
    const ending = await sendable.end(context, known)
    const written = await writeEnds(context, ends)
    await ending.follow(known.filter(({ send }) => written.has(keyOf(send))))
    return ends.map(({ send }) => written.has(keyOf(send)))
  })

/** Those that were still this process's. */
async function writeEnds({ db, accountId }: Context, ends: readonly Ended[]): Promise<Set<string>> {
  const column = <Value>(read: (end: Ended) => Value) => ends.map(read)
  const { rows } = await sql<SendKey>`
    update sends s set state = e.state, due = null, progress = null, error = e.error, remote_id = e.remote_id
    from unnest(${column(({ send }) => send.contentId)}::text[], ${column(({ send }) => send.credentialId)}::text[],
      ${column(({ send }) => send.kind)}::text[], ${column(({ send }) => send.fence)}::bigint[],
      ${column(({ outcome }) => outcome.kind)}::text[], ${column(({ outcome }) => (outcome.kind === 'sent' ? '' : outcome.error))}::text[],
      ${column(({ outcome }) => (outcome.kind === 'sent' ? outcome.receipt.remoteId : ''))}::text[])
      as e (content_id, credential_id, kind, fence, state, error, remote_id)
    where s.account_id = ${accountId} and s.content_id = e.content_id and s.credential_id = e.credential_id and s.kind = e.kind
      and s.fence = e.fence and s.state in ('preparing', 'sending', 'unknown')
    returning s.content_id, s.credential_id, s.kind`.execute(db)
  return new Set(rows.map(keyOf))
}
