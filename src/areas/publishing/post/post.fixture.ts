import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import type { TestService } from '../../../../tests/support/service.ts'

export { profiles }
/** The second company page, to which the targeting presets belong. */
export const careersPage = '003-1-2414184'
export const preset = '0tpdemo00000001'
export const image = '026demo00000001'

/** Later than any test runs. */
export const later = 1_900_000_000

/** Helpers for tests of posts. */
export function posting(service: TestService) {
  const { admin, publisher, databaseUrl } = service
  const campaign = async (name = 'Posts'): Promise<string> =>
    (await publisher('POST /campaign', { body: { name } })).json.Campaign.Id
  const message = async (rest: object = {}): Promise<string> => {
    const body = { network: 'LinkedIn', campaignId: '002demo00000001', message: 'Hello', ...rest }
    const { json } = await admin('POST /message', { body })
    if (!json.Result) throw new Error(JSON.stringify(json))
    return json.Message.Id
  }
  const ask = async (rest: object = {}, as = publisher) => {
    const messageId = 'messageId' in rest ? undefined : await message()
    return as('POST /post', {
      body: { messageId, credentialIds: profiles.linkedInPage, startDateTime: later, ...rest },
    })
  }
  return {
    campaign,
    message,
    ask,
    async post(rest: object = {}, as = publisher) {
      const { json } = await ask(rest, as)
      if (!json.Result) throw new Error(JSON.stringify(json))
      return json.Post
    },
    sends: (id: string) =>
      ownerQuery<{
        kind: string
        state: string
        campaign: string
        credential: string
        due: Date | null
        error: string
      }>(
        databaseUrl,
        `select kind, state, group_id as campaign, credential_id as credential, due, error, attempts, remote_id
        from sends where content_id = $1 order by kind desc, credential_id`,
        [id],
      ),
    /** Sets the state of sends as the sender would. */
    setState: (id: string, state: string, credential = '%', kind = 'post') =>
      ownerQuery(
        databaseUrl,
        `update sends set state = $2, due = null where content_id = $1 and credential_id like $3 and kind = $4`,
        [id, state, credential, kind],
      ),
    /** The webhook events of a post, in order. */
    async events(id: string) {
      const rows = await ownerQuery<{ type: string; data: string }>(
        databaseUrl,
        `select type, data from events where type like 'post%' and data::text like '%' || $1 || '%' order by id`,
        [id],
      )
      return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
    },
    /** Post counters that differ from a full recount. */
    wrongCounts: () =>
      ownerQuery(
        databaseUrl,
        `select campaign_id, status from (
          select account_id, campaign_id, created_by, source, status, count(*)::int as posts from posts group by 1, 2, 3, 4, 5) rows
          full join (select * from post_counts where posts <> 0) stored using (account_id, campaign_id, created_by, source, status)
          where rows.posts is distinct from stored.posts`,
      ),
  }
}
