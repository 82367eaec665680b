import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

interface Place {
  postId: string
  credentialId: string
}

/** Posts are out on these profiles: the comments under them, where there are to be some, follow. */
export async function setCommentsGoing({ db, accountId, now }: Context, places: readonly Place[]) {
  if (places.length === 0) return
  await sql`
    update post_sends s set state = 'waiting', due = ${now}, planned = ${now}
    from ${listed(places)} where ${commentAt(accountId)} and s.state in ('idle', 'failed')`.execute(db)
}

/** Without the post there is nothing to comment on. */
export async function giveUpComments({ db, accountId }: Context, places: readonly Place[]) {
  if (places.length === 0) return
  await sql`
    update post_sends s set state = 'failed', due = null, error = 'The post was not published.'
    from ${listed(places)} where ${commentAt(accountId)} and s.state = 'idle'`.execute(db)
}

const listed = (places: readonly Place[]) => sql`
  unnest(${places.map(({ postId }) => postId)}::text[], ${places.map(({ credentialId }) => credentialId)}::text[])
    as place (post_id, credential_id)`

const commentAt = (accountId: string) => sql`
  s.account_id = ${accountId} and s.post_id = place.post_id and s.credential_id = place.credential_id and s.kind = 'comment'`
