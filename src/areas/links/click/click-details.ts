import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import type { ClickRow } from './click-row.ts'

/** What the wire says of clicks beyond their rows: the names and texts of what was clicked. */
export async function withDetails(context: Context, rows: readonly ClickRow[]) {
  const { db, accountId } = context
  const idsIn = (column: 'campaignId' | 'credentialId' | 'messageId' | 'postId') => [
    ...new Set(rows.map((row) => row[column]).filter((id) => id !== '')),
  ]
  const find = <Found extends { id: string }>(ids: string[], search: (ids: string[]) => Promise<Found[]>) =>
    ids.length === 0 ? new Map<string, Found>() : search(ids).then(byId)
  const [campaigns, credentials, messages, postlogs] = await Promise.all([
    find(idsIn('campaignId'), (ids) =>
      db
        .selectFrom('campaigns')
        .select(['id', 'name'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .execute(),
    ),
    find(idsIn('credentialId'), (ids) =>
      db
        .selectFrom('credentials')
        .select(['id', 'displayName'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .execute(),
    ),
    find(idsIn('messageId'), (ids) =>
      db
        .selectFrom('messages')
        .select(['id', 'campaignId', 'message', 'linkUrl', 'linkTitle', 'imageUrl'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        // It may belong to another campaign than what was clicked.
        .where(withinTeams(context, 'messages.campaign_id'))
        .execute(),
    ),
    postlogsOf(context, idsIn('postId')),
  ])
  return rows.map((row) => {
    const postlog = postlogs.get(`${row.postId} ${row.credentialId}`)
    const content = messages.get(row.messageId)
    const { message = '', linkUrl = '', linkTitle = '', imageUrl = '' } = content ?? {}
    return {
      ...row,
      campaignName: campaigns.get(row.campaignId)?.name ?? '',
      credentialName: credentials.get(row.credentialId)?.displayName ?? '',
      ...{ message, linkUrl, linkTitle, imageUrl, picture: imageUrl !== '' },
      messageCampaignId: content?.campaignId,
      postlogId: postlog?.id ?? '',
      remoteUrl: postlog?.remoteUrl ?? '',
      convertedDate: row.converted,
      geoCountry: row.country,
      geoCity: row.city,
      geoOrganization: row.organization,
      geoLongitude: row.longitude,
      geoLatitude: row.latitude,
    }
  })
}

/** What became of posts, by post and profile. */
async function postlogsOf({ db, accountId }: Context, postIds: readonly string[]) {
  if (postIds.length === 0) return new Map<string, { id: string; remoteUrl: string }>()
  const rows = await db
    .selectFrom('postlogs')
    .select(['id', 'postId', 'credentialId', 'remoteUrl'])
    .where('accountId', '=', accountId)
    .where('postId', 'in', postIds)
    .execute()
  return new Map(rows.map((row) => [`${row.postId} ${row.credentialId}`, row]))
}

const byId = <Found extends { id: string }>(rows: Found[]) => new Map(rows.map((row) => [row.id, row]))
