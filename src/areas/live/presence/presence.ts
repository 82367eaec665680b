import { sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { ChangeKind } from '#kernel/changes/change-notification.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'

export const presenceChannel = 'chorus_presence'

export const activities = ['viewing', 'editing', 'replying'] as const

/** Somebody is at something. It is passed on and kept nowhere. */
export interface Presence {
  readonly accountId: string
  readonly kind: ChangeKind
  readonly id: string
  readonly doing: (typeof activities)[number]
  readonly by: string
  /** Whose teams see it, as with hints. */
  readonly scope: string | null
}

/** Tells those who may see the thing too; the id says of what kind it is. */
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
  // Not announced: this process hears it as the others do, once.
  await sql`select pg_notify(${presenceChannel}, ${JSON.stringify(presence)})`.execute(db)
}

/** Nothing where it is none: another version of the service may say it otherwise. */
export function readPresence(payload: string): Presence | undefined {
  try {
    const presence: Presence | null = JSON.parse(payload)
    return typeof presence?.id === 'string' && typeof presence.accountId === 'string' ? presence : undefined
  } catch {
    return undefined
  }
}
