import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { plainOwnersDatabase } from '#kernel/database/transfer/transfer.fixture.ts'
import { migrationFolders } from '#main/project.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { storyHelpers } from '../advocacy/story/story.fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api,worker' } })
})
afterAll(() => service.stop())

const query = <Row extends object>(text: string, values: unknown[] = []) =>
  ownerQuery<Row>(service.databaseUrl, text, values)

/** An event as earlier versions stored it. */
const stored = (id: string, data: object) =>
  query(
    `insert into events (account_id, id, created, type, data) values ($1, '0EVold' || lpad($2, 9, '0'), now(), 'postSent', $3)`,
    [demoAccount, id, JSON.stringify([data])],
  )

/** Runs the job that the migration adds. */
async function fill() {
  await query(`insert into jobs (id, queue, name, account, payload, created, due)
    values ('0jb000000000039', 'housekeeping', 'events.fill-scopes', '', '{}', now(), now())`)
  await expect.poll(() => query(`select from jobs where name = 'events.fill-scopes'`)).toEqual([])
}

const scopesOf = async (id: string) => {
  const [row] = await query<{ scopes: string[] | null }>(
    `select scopes from events where account_id = $1 and id = '0EVold' || lpad($2, 9, '0')`,
    [demoAccount, id],
  )
  return row?.scopes
}

test('events of earlier versions get the scopes of the entities they mention; others stay unknown', async () => {
  const { admin } = service
  const stories = storyHelpers(service)
  const { id: board, topicIds } = await stories.board({}, 'Walking')
  const story = await stories.make({ boardId: board, topicIds })
  const campaign = (await admin('POST /campaign', { body: { name: 'Former' } })).json.Campaign.Id
  const text = { network: 'LinkedIn', campaignId: campaign, message: 'Forty walks' }
  const message = (await admin('POST /message', { body: text })).json.Message.Id
  const workflow = await stories.workflow()
  const body = { entityId: message, workflowId: workflow }
  const item = (await admin('POST /workflow-item', { body })).json.Data.Id
  const [postlog] = await stories.postlogs('LinkedIn')
  const deletedId = '004gone00000000'
  const cases: [name: string, data: object, scopes: string[] | null][] = [
    ['post', { Id: deletedId, CampaignId: '002demo00000001', MessageId: message }, ['002demo00000001', campaign]],
    ['topic', { Id: topicIds[0], BoardId: board }, [board]],
    ['story', { ID: story.ID, Messages: [{ Id: message }] }, [board, story.CampaignId, campaign]],
    ['item', { WorkflowItemID: item, PostID: deletedId, StoryID: '' }, [campaign, workflow]],
    ['inbox', { Item: { Data: { PostId: '7301' } }, Text: 'See "002demo00000001".' }, []],
    ['activity', { LeadId: '0ldsomebody0000', PostlogId: postlog?.id }, [postlog?.campaignId ?? '']],
    ['lead', { Email: 'robin.field@example.com' }, []],
    ['unknown', { PostID: deletedId }, null],
    ['half', { PostID: deletedId, WorkflowID: workflow }, null],
  ]
  for (const [name, data] of cases) await stored(name, data)
  await fill()
  for (const [name, , scopes] of cases) expect([name, await scopesOf(name)]).toEqual([name, scopes])
})

test('a long history is filled in batches, and existing scopes stay', async () => {
  await query(
    `insert into events (account_id, id, created, type, scopes, data)
    select $1, '0EVlong' || lpad(n::text, 8, '0'), now(), 'newAdvocacyTopic', case when n % 100 = 0 then '{brdstated000000}'::text[] end,
      '[{"BoardId":"brddemo00000001"}]' from generate_series(1, 3500) n`,
    [demoAccount],
  )
  await fill()
  expect(
    await query(
      `select scopes, count(*)::int from events where account_id = $1 and id like '0EVlong%' group by scopes order by count`,
      [demoAccount],
    ),
  ).toEqual([
    { scopes: ['brdstated000000'], count: 35 },
    { scopes: ['brddemo00000001'], count: 3465 },
  ])
})

test.each([
  ['has the job where there are events', 1],
  ['has no job where there are none', 0],
])('an upgraded database %s', async (_title, events) => {
  const { url, drop } = await plainOwnersDatabase(inject('serverUrl'))
  await migrate(url, migrationFolders, () => {}, '0036-saved-views.sql')
  await ownerQuery(
    url,
    `insert into accounts (id, created, modified, name) values ('001old000000000', now(), now(), 'Old')`,
  )
  await ownerQuery(
    url,
    `insert into events (account_id, id, created, type, data)
    select '001old000000000', '0EV' || lpad(n::text, 12, '0'), now(), 'postSent', '[]' from generate_series(1, $1::int) n`,
    [events],
  )
  await migrate(url, migrationFolders)
  const jobs = await ownerQuery(url, `select queue, account, state from jobs where name = 'events.fill-scopes'`)
  expect(jobs).toEqual(events ? [{ queue: 'housekeeping', account: '', state: 'waiting' }] : [])
  await drop()
})
