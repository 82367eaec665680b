import { sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { ChangeKind } from '#kernel/changes/change-notification.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'

export const presenceChannel = 'chorus_presence'

export const activities = ['viewing', 'editing', 'replying'] as const

/** A user is viewing or editing an entity. Broadcast only, never stored. */
export interface Presence {
  readonly accountId: string
  readonly kind: ChangeKind
  readonly id: string
  readonly doing: (typeof activities)[number]
  readonly by: string
  /** Restricts visibility to teams, as for change notifications. */
  readonly scope: string | null
}

/** Notifies users who may see the entity; the id determines its kind. */
export async function announcePresence(
  context: Context,
  watched: readonly PresenceKind[],
  { id, doing }: Pick<Presence, 'id' | 'doing'>,
): Promise<void> {
  const { db, accountId, userId: by } = context
  const kind = watched.find(({ reference }) => reference.prefix !== undefined && id.startsWith(reference.prefix))
  const found = await kind?.find(context, id)
  if (!kind || !found) throw missing('Item')
  const presence: Presence = { accountId, kind: kind.kind, id, doing, by, scope: found.scope }
  // Not delivered locally: this process receives it through the database like all others, once.
  await sql`select pg_notify(${presenceChannel}, ${JSON.stringify(presence)})`.execute(db)
}

/** Undefined if invalid: another version of the service may use another format. */
export function readPresence(payload: string): Presence | undefined {
  try {
    const presence: Presence | null = JSON.parse(payload)
    return typeof presence?.id === 'string' && typeof presence.accountId === 'string' ? presence : undefined
  } catch {
    return undefined
  }
}
