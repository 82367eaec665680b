import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

interface Place {
  postId: string
  credentialId: string
}

/**
 * Tells the entries of posts on profiles and their links of each other. Whoever was quicker than this, and followed a link before it was
 * known which entry it belongs to, is counted there now.
 */
export async function noteLinks({ db, accountId }: Context, places: readonly Place[]) {
  if (places.length === 0) return
  await sql`
    with place as (
      select distinct * from unnest(${places.map(({ postId }) => postId)}::text[], ${places.map(({ credentialId }) => credentialId)}::text[])
        as p (post_id, credential_id)),
    own as (
      select l.post_id, l.credential_id, array_agg(l.id order by l.created, l.id) as ids,
        sum(l.clicks) as clicks, sum(l.converts) as converts
      from place p join links l on l.account_id = ${accountId} and l.post_id = p.post_id and l.post_id <> '' and l.credential_id = p.credential_id
      group by 1, 2),
    noted as (
      update postlogs g set link_ids = own.ids, clicks = own.clicks, converts = own.converts from own
      where g.account_id = ${accountId} and g.post_id = own.post_id and g.credential_id = own.credential_id and g.link_ids <> own.ids
      returning g.id, g.link_ids),
    marked as (
      update links l set postlog_id = n.id from noted n where l.account_id = ${accountId} and l.id = any (n.link_ids) and l.postlog_id <> n.id
      returning l.id, l.postlog_id)
    update clicks c set postlog_id = m.postlog_id from marked m
    where c.account_id = ${accountId} and c.link_id = m.id and c.postlog_id <> m.postlog_id`.execute(db)
}
