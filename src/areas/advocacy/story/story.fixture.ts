import { scopeIds } from '#areas/account/declarations.ts'
import { newId } from '#kernel/ids.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, type TestService } from '../../../../tests/support/service.ts'
import { advocacyIds } from '../declarations.ts'

export const campaign = '002demo00000001'
export const ada = '00Ademo00000001'
export const pablo = '00Ademo00000002'

export interface SeenStory {
  ID: string
  Status: string
  Title: string
  Description: string
  BoardId: string
  CampaignId: string
  PublishDate: string
  ExpirationDate: string
  Topics: string[]
  Tags: string[]
  Type: string
  PostlogId?: string
  WorkflowId: string | null
  LinkUrl: string | null
  Messages: { Id: string; Network: string; Message: string }[]
  Media: { Id: string }[]
}

/** Helpers for story tests. */
export function storyHelpers(service: TestService) {
  const { admin, publisher, databaseUrl } = service
  const query = <Row extends object>(text: string, values: unknown[] = []) => ownerQuery<Row>(databaseUrl, text, values)
  const make = async (body: object = {}, as = publisher): Promise<SeenStory> => {
    const story = { title: 'A title', description: 'What it is about.', campaignId: campaign }
    const { status, json } = await as('POST /story', { body: { ...story, ...body } })
    if (status !== 200) throw new Error(JSON.stringify(json))
    return json.Item
  }
  return {
    query,
    make,
    read: async (id: string, as = admin): Promise<SeenStory> => (await as(`GET /story/${id}`)).json.Item,
    /** The newest board; its topics by name. */
    async board(
      rest: { kind?: 'stories' | 'messages'; status?: string; expiration?: string } = {},
      ...names: string[]
    ) {
      const { kind = 'stories', status = 'active', expiration = 'in_6_months' } = rest
      const id = newId(scopeIds.board, new Date())
      await query(
        `insert into boards (account_id, id, created, modified, created_by, modified_by, name, kind, status, default_expiration, slug)
        values ($1, $2, now(), now(), $3, $3, 'Board', $4, $5, $6, $2)`,
        [demoAccount, id, ada, kind, status, expiration],
      )
      const topics = names.map((name) => ({ name, id: newId(advocacyIds.topic, new Date()) }))
      for (const topic of topics)
        await query(
          `insert into topics (account_id, id, board_id, created, modified, created_by, name) values ($1, $2, $3, now(), now(), $4, $5)`,
          [demoAccount, topic.id, id, ada, topic.name],
        )
      return { id, topicIds: topics.map((topic) => topic.id) }
    },
    async message(text: string, network = 'LinkedIn'): Promise<string> {
      const { json } = await publisher('POST /message', { body: { network, campaignId: campaign, message: text } })
      return json.Message.Id
    },
    workflow: async (): Promise<string> => {
      const steps = [{ name: 'Check', approverIds: [ada, pablo] }]
      return (await admin('POST /app/api/workflow', { body: { name: 'Stories', steps } })).json.Workflow.Id
    },
    decide: (id: string, isApprove: 0 | 1) => admin(`POST /workflow-item/${id}`, { body: { isApprove } }),
    /** Postlogs of sent posts. */
    postlogs: async (network: string, status = 'success') => {
      const rows = await query<{ id: string; text: string; campaignId: string }>(
        `select p.id, m.message as text, p.campaign_id as "campaignId" from postlogs p join messages m on m.account_id = p.account_id and m.id = p.message_id
        where p.account_id = $1 and p.network = $2 and p.status = $3 order by p.id`,
        [demoAccount, network, status],
      )
      return rows
    },
    /** Webhook events about this, newest last. */
    events: async (type: string, id: string) => {
      const rows = await query<{ data: string }>(
        `select data from events where type = $1 and data::text like '%' || $2 || '%' order by id`,
        [type, id],
      )
      return rows.map(({ data }) => JSON.parse(data)[0])
    },
  }
}

export type StoryHelpers = ReturnType<typeof storyHelpers>

export const unix = (moment: number) => Math.floor(moment / 1000)
export const day = 24 * 60 * 60 * 1000
