import { sql } from 'kysely'

/** A link of a post on a profile is named by both; so is the entry that says what became of it there. */

/** The entry of what a row of links or clicks belongs to; nothing while it is not out. */
export const postlogOf = (accountId: string, table: 'links' | 'clicks') => sql<string>`coalesce((
  select g.id from postlogs g where g.account_id = ${accountId} and g.post_id = ${sql.ref(`${table}.post_id`)}
    and g.credential_id = ${sql.ref(`${table}.credential_id`)} and g.post_id <> ''), '')`

/** The links with which a post went out on the profile of an entry. */
export const linksOfEntry = (accountId: string) => sql<string[]>`array(
  select l.id from links l where l.account_id = ${accountId} and l.post_id = postlogs.post_id
    and l.credential_id = postlogs.credential_id and l.post_id <> '' order by l.created, l.id)`
