import { accountIds } from '#areas/account/declarations.ts'
import { keyDigest } from '#kernel/identities.ts'
import { newId } from '#kernel/ids.ts'
import { caller } from '../../../tests/support/caller.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { profiles } from '../../../tests/support/publishing.ts'
import { demoAccount, type TestService } from '../../../tests/support/service.ts'

export const ada = '00Ademo00000001'
export const pablo = '00Ademo00000002'
export const chidi = '00Ademo00000003'

const hour = 60 * 60 * 1000

interface StepDraft {
  id?: string
  name: string
  mustBeApprovedByEveryone?: boolean
  /** The demo's admin and publisher by default. */
  approverIds?: string[]
}

/** Helpers for tests of approval. */
export function approvals(service: TestService, now = () => Date.now()) {
  const { admin, contributor, databaseUrl } = service
  const workflow = async (...steps: StepDraft[]) => {
    const body = { name: 'Check', steps: steps.map((step) => ({ approverIds: [ada, pablo], ...step })) }
    const { json } = await admin('POST /app/api/workflow', { body })
    return json.Workflow as { Id: string; Steps: { Id: string; Name: string }[] }
  }
  const message = async (text = 'To be approved', campaignId = '002demo00000001'): Promise<string> => {
    const { json } = await admin('POST /message', { body: { network: 'LinkedIn', campaignId, message: text } })
    return json.Message.Id
  }
  /** A post scheduled for tomorrow. */
  const post = async (rest: object = {}, as = contributor) => {
    const startDateTime = Math.floor((now() + 24 * hour) / 1000)
    const body = { messageId: await message(), credentialIds: profiles.linkedInPage, startDateTime, ...rest }
    const { status, json } = await as('POST /post', { body })
    if (status !== 200) throw new Error(JSON.stringify(json))
    return json.Post as { Id: string; Status: string; ApproveStatus: string; MessageId: string; CampaignId: string }
  }
  return {
    workflow,
    message,
    post,
    /** A contributor's post pending in a new workflow with these steps. */
    async waiting(...steps: StepDraft[]) {
      const made = await workflow(...steps)
      return { workflow: made, post: await post({ workflowId: made.Id }) }
    },
    /** Another user of the account, with an API key. */
    async user(role: string, name: string) {
      const draft = { firstName: name, lastName: 'Other', email: `${name}@example.com`, password: 'a long password' }
      const { Id } = (await admin('POST /user', { body: { ...draft, role } })).json.User
      const key = `key-of-${name}-0123456789`
      await ownerQuery(
        databaseUrl,
        `insert into api_keys (account_id, id, user_id, created, name, digest) values ($1, $2, $3, now(), 'test', $4)`,
        [demoAccount, newId(accountIds.apiKey, new Date(now())), Id, keyDigest(key)],
      )
      return { id: Id as string, as: caller(service.url, demoAccount, key) }
    },
    /** The item of a post or a message; faster if its workflow is given. */
    item: async (entityId: string, workflowId = '') => {
      const { json } = await admin('GET /workflow-item', { query: `count=1000&withHistory=1&workflowId=${workflowId}` })
      return json.Items.find((one: { EntityId: string }) => one.EntityId === entityId)
    },
    standing: async (id: string) => {
      const { Status, ApproveStatus } = (await admin(`GET /post/${id}`)).json.Post
      return [Status, ApproveStatus]
    },
    sends: (id: string) =>
      ownerQuery<{ state: string; due: Date | null }>(
        databaseUrl,
        'select state, due from sends where content_id = $1',
        [id],
      ),
    /** The emails queued since the previous call. */
    async mails() {
      const rows = await ownerQuery<{ mail: { to: string; subject: string; text: string } }>(
        databaseUrl,
        `delete from jobs where name = 'mail.send-mail' returning payload::json as mail`,
      )
      return rows.map(({ mail }) => mail)
    },
    /** The webhook events on the approval of this post or message. */
    async events(id: string) {
      const rows = await ownerQuery<{ type: string; data: string }>(
        databaseUrl,
        `select type, data from events where type ilike '%approvalItem%' and data::text like '%' || $1 || '%' order by id`,
        [id],
      )
      return rows.map(({ type, data }) => [type, ...JSON.parse(data)])
    },
  }
}
