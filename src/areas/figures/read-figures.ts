import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type FigureName, type FigureOf, type Figures, noFigures } from './figure.ts'

/** A column with the figures of what another column names. Those that are nothing are left out: `withFigures` puts them back. */
export const figuresOf = ({ accountId }: Pick<Context, 'accountId'>, kind: FigureOf, id: string) =>
  sql<Partial<Figures>>`(select coalesce(json_object_agg(f.name, f.value), '{}') from figures f
    where f.account_id = ${accountId} and f.of_kind = ${kind} and f.of_id = ${sql.ref(id)})`.as('figures')

/** The same for posts on profiles, which two columns name. */
export const figuresOnProfile = ({ accountId }: Pick<Context, 'accountId'>, postId: string, credentialId: string) =>
  sql<
    Partial<Figures>
  >`(select coalesce(json_object_agg(f.name, f.value), '{}') from figures f where f.account_id = ${accountId}
    and f.of_kind = 'profile-post' and f.of_id = ${sql.ref(postId)} || ' ' || ${sql.ref(credentialId)})`.as('figures')

/** A row with every figure in it, as the wire shows them. By assign: spreading this many fields takes sixteen times as long. */
export const withFigures = <Row extends { figures?: Partial<Figures> | undefined }>({ figures, ...row }: Row) =>
  Object.assign({}, noFigures, figures, row)

/** When the latest fact of a figure happened, as a column. */
export const lastOf = ({ accountId }: Pick<Context, 'accountId'>, kind: FigureOf, id: string, name: FigureName) =>
  sql<Date | null>`(select f.last from figures f where f.account_id = ${accountId} and f.of_kind = ${kind}
    and f.of_id = ${sql.ref(id)} and f.name = ${name})`

/** Two of the figures as columns of their own: for lists of thousands, where an object for each would be too much. */
export const clicksOf = ({ accountId }: Pick<Context, 'accountId'>, kind: FigureOf, id: string) =>
  (['clicks', 'converts'] as const).map((name) =>
    sql<number>`coalesce((select f.value from figures f where f.account_id = ${accountId} and f.of_kind = ${kind}
      and f.of_id = ${sql.ref(id)} and f.name = ${name}), 0)`.as(name),
  )
