import { type RawBuilder, sql } from 'kysely'
import type { FigureName } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import type { Attribute } from './catalogue.ts'
import type { Question } from './plan.ts'

/** For how many days single clicks are counted where no rollup has the answer. */
export const mostDaysOfClicks = 92

/** How each attribute of a click is called by its figures. */
const columns: { readonly [attribute in Exclude<Attribute, 'board' | 'advocate'>]: RawBuilder<string> } = {
  network: sql`coalesce(nullif(c.network, ''), '-')`,
  profile: sql`coalesce(nullif(c.credential_id, ''), '-')`,
  campaign: sql`coalesce(nullif(c.campaign_id, ''), '-')`,
  country: sql`coalesce(nullif(c.country, ''), '-')`,
  author: sql`coalesce(nullif(coalesce(p.created_by, split_part(l.counts_for->>'advocate', ' ', 2)), ''), '-')`,
}

/** The same facts out of clicks and conversions themselves. */
export function clicksOf(
  { accountId }: Context,
  { names, by, conditions }: Question,
  segments: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const column = (attribute: Attribute) => columns[attribute as keyof typeof columns]
  const facts = (name: FigureName, moment: RawBuilder<unknown>, tables: RawBuilder<unknown>) => {
    const isBoard = name.startsWith('board') ? sql`coalesce(l.share_id, '') <> ''` : sql`true`
    return sql`select s.bucket, ${name} as name, 1 as value ${by ? sql`, ${column(by)} as ${sql.id(by)}` : sql``}
      from ${segments} join ${tables}
      left join links l on l.account_id = ${accountId} and l.id = c.link_id
      left join posts p on p.account_id = ${accountId} and p.id = c.post_id
      where c.class = 'human' and ${moment} >= s.start and ${moment} < s.until and ${isBoard} and ${conditions.where(column)}`
  }
  const clicks = sql`clicks c on c.account_id = ${accountId}`
  const conversions = sql`conversions v on v.account_id = ${accountId}
    join clicks c on c.account_id = ${accountId} and c.id = v.click_id`
  return sql.join(
    names.map((name) =>
      name.toLowerCase().endsWith('converts')
        ? facts(name, sql`v.created`, conversions)
        : facts(name, sql`c.created`, clicks),
    ),
    sql` union all `,
  )
}
