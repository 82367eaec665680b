import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Dimension, dimensions } from './catalogue.ts'

/** The values of a dimension that each value of its attribute belongs to; of most there is one, itself. */
export async function valuesOf(
  { db, accountId }: Context,
  dimension: Dimension,
  ids: readonly string[],
  attribute: string = dimensions[dimension],
): Promise<Map<string, readonly string[]>> {
  const itself = new Map(ids.map((id) => [id, [id]]))
  if (dimension === attribute || ids.length === 0) return itself
  const pairs = {
    tag: sql`select t.entity_id as id, t.tag_id as value from tagged t where t.account_id = ${accountId} and t.entity_id = any (${ids})`,
    team: sql`select t.entity_id as id, t.team_id as value from team_entities t where t.account_id = ${accountId} and t.entity_id = any (${ids})`,
    network: sql`select c.id, c.network as value from credentials c where c.account_id = ${accountId} and c.id = any (${ids})`,
  }[dimension as 'tag' | 'team' | 'network']
  const { rows } = await sql<{ id: string; value: string }>`${pairs}`.execute(db)
  const found = new Map<string, string[]>()
  for (const { id, value } of rows) found.set(id, [...(found.get(id) ?? []), value])
  return new Map(ids.map((id) => [id, found.get(id) ?? ['']]))
}

/** What an id in a report stands for. */
export interface NamedEntity {
  Id: string
  Name: string
}

/** The names of what the values of a dimension stand for; those that are names themselves have none. */
export async function namesOf(
  { db, accountId }: Context,
  dimension: Dimension,
  ids: readonly string[],
): Promise<{ [id: string]: NamedEntity }> {
  const place = {
    ...{ network: undefined, country: undefined },
    profile: ['credentials', 'display_name'],
    campaign: ['campaigns', 'name'],
    tag: ['tags', 'tag'],
    team: ['teams', 'name'],
    author: ['users', 'name'],
    advocate: ['users', 'name'],
    board: ['boards', 'name'],
  }[dimension]
  if (!place || ids.length === 0) return {}
  const [table = '', name = ''] = place
  const { rows } = await sql<{ id: string; name: string }>`
    select e.id, e.${sql.id(name)} as name from ${sql.id(table)} e where e.account_id = ${accountId} and e.id = any (${ids})`.execute(
    db,
  )
  return Object.fromEntries(rows.map((row) => [row.id, { Id: row.id, Name: row.name }]))
}
