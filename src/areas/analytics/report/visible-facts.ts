import { type RawBuilder, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { nobodys } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import type { Attribute } from './catalogue.ts'
import type { Filters } from './report-definition.ts'

/** What the caller may not see the numbers of. Things that were deleted are still counted, for those who saw them. */
export interface Hidden {
  campaigns: readonly string[]
  boards: readonly string[]
}

export async function hiddenFrom(context: Context): Promise<Hidden> {
  if (context.role === 'admin') return { campaigns: [], boards: [] }
  const { db, accountId } = context
  const { rows } = await sql<{ kind: keyof Hidden; id: string }>`
    select 'campaigns' as kind, c.id from campaigns c where c.account_id = ${accountId} and not ${withinTeams(context, 'c.id')}
    union all select 'boards', b.id from boards b where b.account_id = ${accountId} and not ${withinTeams(context, 'b.id')}`.execute(
    db,
  )
  const of = (kind: keyof Hidden) => rows.filter((row) => row.kind === kind).map(({ id }) => id)
  return { campaigns: of('campaigns'), boards: of('boards') }
}

/** Which facts count, said of whatever they are read from. */
export interface Conditions {
  /** The condition in SQL; what is read says how it calls each attribute, or that it does not know it. */
  where(column: (attribute: Attribute) => RawBuilder<unknown> | undefined): RawBuilder<unknown>
}

/** Filters and what is hidden. Tags and teams are those that campaigns have now. */
export async function conditionsOf(context: Context, filters: Filters, hidden: Hidden): Promise<Conditions> {
  const { tag, team, campaign, ...plain } = filters
  const campaigns = await filteredCampaigns(context, { tag, team, campaign })
  const allowed: { [attribute in Attribute]?: readonly string[] | undefined } = { ...plain, campaign: campaigns }
  const refused: { [attribute in Attribute]?: readonly string[] } = { campaign: hidden.campaigns, board: hidden.boards }
  return {
    where(column) {
      const conditions = (Object.keys(allowed) as Attribute[]).flatMap((attribute) => {
        const values = allowed[attribute]
        return values ? [sql`${column(attribute)} = any (${values.map((value) => value || nobodys)})`] : []
      })
      for (const attribute of Object.keys(refused) as Attribute[]) {
        const [values = [], known] = [refused[attribute], column(attribute)]
        if (values.length > 0 && known) conditions.push(sql`${known} <> all (${values})`)
      }
      return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
    },
  }
}

type CampaignFilters = { [dimension in 'tag' | 'team' | 'campaign']: readonly string[] | undefined }

/** The campaigns that all of these allow; nothing where none of them is given. */
async function filteredCampaigns({ db, accountId }: Context, { tag, team, campaign }: CampaignFilters) {
  if (!tag && !team) return campaign
  const having = (table: 'tagged' | 'team_entities', column: 'tag_id' | 'team_id', ids: readonly string[]) => {
    const has = sql`select from ${sql.id(table)} t where t.account_id = ${accountId} and t.entity_id = c.id`
    const named = sql`exists (${has} and t.${sql.id(column)} = any (${ids}))`
    return ids.includes('') ? sql`(${named} or not exists (${has}))` : named
  }
  const { rows } = await sql<{ id: string }>`
    select c.id from campaigns c where c.account_id = ${accountId}
      and ${campaign ? sql`c.id = any (${campaign})` : sql`true`}
      and ${tag ? having('tagged', 'tag_id', tag) : sql`true`}
      and ${team ? having('team_entities', 'team_id', team) : sql`true`}`.execute(db)
  return rows.map(({ id }) => id)
}
