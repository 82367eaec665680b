import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { isId } from '#kernel/ids.ts'
import type { EntityKind } from './entity-kind.ts'
import { messageKind } from './message-entity.ts'
import { postKind } from './post-entity.ts'

/** Stories belong to a later area; they come in through the same interface. */
const kinds: readonly EntityKind[] = [postKind, messageKind]

/** How content with such an id is treated; nothing when no such content can be approved. */
export const kindOf = (entityId: string) => kinds.find(({ idKind }) => isId(idKind, entityId))

/** Holds the content an item is about. */
export function holdEntity(context: Context, entityId: string) {
  const kind = kindOf(entityId)
  if (!kind) throw new Error(`Nothing is known about approving ${entityId}.`)
  return kind.hold(context, entityId)
}

/** Tells of content that the caller may see. */
export async function findEntity(context: Context, entityId: string) {
  const found = await kindOf(entityId)?.describe(context, entityId)
  return found && (await isSeen(context, found.scopeId)) ? found : undefined
}

async function isSeen(context: Context, scopeId: string): Promise<boolean> {
  const { rows } = await sql<{ isSeen: boolean }>`
    select ${withinTeams(context, 'scope.id')} as is_seen from (select ${scopeId}::text as id) scope`.execute(
    context.db,
  )
  return rows[0]?.isSeen ?? false
}
