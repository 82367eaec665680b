import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { idPrefixes } from '#kernel/ids.ts'
import { withinTeams } from './visibility.ts'

/** What only admins see since its last team was deleted. */
export const search = (context: Context, { page }: { page: Page }) => {
  const { accountId } = context
  const nameIn = (table: string) =>
    sql`(select t.name from ${sql.table(table)} t where t.account_id = ${accountId} and t.id = entity_id)`
  const name = sql<string>`coalesce(${nameIn('campaigns')}, ${nameIn('workflows')}, ${nameIn('boards')}, '')`
  return paginate(
    context.db
      .selectFrom('restrictedEntities')
      .select(['entityId', 'entityId as id', 'created', name.as('name')])
      .where('accountId', '=', context.accountId)
      .where(withinTeams(context, 'restricted_entities.entity_id')),
    page,
  )
}

/** Lets everybody see it, as if it had never had a team. */
export async function open(context: Context, { entityId }: { entityId: string }) {
  await holdAssignments(context)
  if (!(await settle(context, entityId))) throw missing('Restricted entity')
}

/** Keeps to the admins whatever has no team but this one, which is about to be deleted; gives the number. */
export async function restrictThoseOf({ db, accountId, now }: Context, teamId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into restricted_entities (account_id, entity_id, created)
    select ${accountId}, e.entity_id, ${now} from team_entities e
    where e.account_id = ${accountId} and e.team_id = ${teamId} and left(e.entity_id, 3) <> ${idPrefixes.user}
      and not exists (select from team_entities o
        where o.account_id = ${accountId} and o.entity_id = e.entity_id and o.team_id <> ${teamId})
    on conflict do nothing returning entity_id`.execute(db)
  return Number(numAffectedRows)
}

/** Somebody has decided who sees it. */
export async function settle({ db, accountId }: Context, entityId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('restrictedEntities')
    .where('accountId', '=', accountId)
    .where('entityId', '=', entityId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * One change of teams after the other: of two who take an entity's last two teams, one must see that it takes the last. What anybody sees may be
 * another from then on, and whose it is must not be told to all.
 */
export function holdAssignments(context: Context) {
  const { db, accountId } = context
  hintTeams(context)
  return db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .modifyEnd(heldRows('accounts', 'no key update'))
    .execute()
}

/** Without a name: which team it is may be nobody else's business. */
export const hintTeams = ({ hint }: Context) => hint({ kind: 'team', id: null, parent: null, scope: null })
