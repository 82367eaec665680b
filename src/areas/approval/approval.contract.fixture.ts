import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import type { Causes, Scene } from '../../../tests/contract/event-scene.ts'
import { demoAdmin, demoPublisher } from '../../../tests/contract/examples.ts'
import type { TestService } from '../../../tests/support/service.ts'
import { newMessage, newMessageOf } from '../publishing/publishing.contract.fixture.ts'

export const contract: AreaContract = {
  examples: {
    'GET /workflow/{id}': async (service) => ({ id: (await newWorkflow(service)).Id }),
    'GET /workflow': () => ({ body: { withSteps: 1 } }),
    'GET /workflow-step/{id}': async (service) => ({ id: (await newWorkflow(service)).Steps[0].Id }),
    'GET /workflow-step': () => ({}),
    'GET /workflow-item': () => ({ body: { withHistory: 1, withAuthors: 1, withSteps: 1 } }),
    'POST /workflow-item': async (service) => ({
      body: { entityId: await newMessage(service), workflowId: (await newWorkflow(service)).Id },
    }),
    'POST /workflow-item/{id}': async (service) => ({ id: await newWorkflowItem(service), body: { isApprove: 1 } }),
    'DELETE /workflow-item/{id}': async (service) => ({ id: await newWorkflowItem(service) }),
    'GET /workflow-item-note': () => ({ body: { id: '005demo00000001' } }),
    'PUT /workflow-item-note': () => ({ body: { id: '005demo00000001', note: 'Example' } }),
    'GET /app/api/workflow-item': () => ({ body: { view: 'waiting' } }),
    'GET /app/api/workflow-item/{id}': async (service) => ({ id: await newWorkflowItem(service) }),
    'GET /app/api/workflow-item/{id}/changes': async (service) => ({ id: await newWorkflowItem(service) }),
    'POST /app/api/workflow-item/{id}/remind': async (service) => ({ id: await newWorkflowItem(service) }),
    'POST /app/api/workflow-items': async (service) => ({
      body: { items: [{ id: await newWorkflowItem(service) }], isApprove: 1 },
    }),
    'GET /app/api/workflow': () => ({}),
    'POST /app/api/workflow': () => ({ body: { name: 'Example', steps: [{ name: 'Check' }] } }),
    'PUT /app/api/workflow/{id}': async (service) => ({
      id: (await newWorkflow(service)).Id,
      body: { steps: [{ name: 'Check again' }] },
    }),
    'DELETE /app/api/workflow/{id}': async (service) => ({ id: (await newWorkflow(service)).Id }),
  },
  audit: {
    'POST /app/api/workflow-items': { entity: ({ answer }) => answer.json.Items[0].Id },
  },
  entities: {
    workflow: ({ made, name }) => made('POST /app/api/workflow', { name, steps: [{ name }] }, 'Workflow'),
    workflowStep: async ({ as, entity }) => {
      const query = `workflowId=${await entity('workflow')}`
      return (await as('GET /workflow-step', { query })).json.Items[0].Id
    },
    workflowItem: async (place) =>
      place.made(
        'POST /workflow-item',
        { entityId: await newMessageOf(place), workflowId: await place.entity('workflow') },
        'Data',
      ),
  },
  scopedKinds: ['workflow', 'workflowStep', 'workflowItem'],
  scopes: ['workflow'],
  bridge: async ({ admin }, seen, invisible) => {
    await admin('POST /workflow-item', { body: { entityId: seen.post, workflowId: invisible.workflow } })
  },
  ineffective: {
    'GET /app/api/workflow-item/{id} id': 'The visible messages, posts and stories were not submitted for approval.',
  },
  causes: {
    newApprovalItem: submitting(async (_, item) => item),
    approvalItemApproved: deciding(1),
    approvalItemRejected: deciding(0),
  },
  listPlans: {
    rows: ({ each }) => [
      `insert into workflows (account_id, id, created, modified, created_by, name)
      select account_id, 'cwfb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Workflow' from ${each} where n <= 1000`,
      `insert into workflow_steps (account_id, id, created, workflow_id, position, name, must_be_approved_by_everyone)
      select account_id, 'cwsb' || lpad(n::text, 11, '0'), now(), 'cwfb' || lpad((n % 1000 + 1)::text, 11, '0'), n / 1000, 'Step', false from ${each}`,
      `insert into workflow_approvers (account_id, step_id, user_id)
      select account_id, 'cwsb' || lpad(n::text, 11, '0'), '00Ab' || lpad(n::text, 11, '0') from ${each}`,
      `insert into workflow_items (account_id, id, created, modified, waiting_since, created_by, status, entity_id, scope_id, workflow_id, step_id)
      select account_id, 'cwib' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), case n % 5 when 0 then 'approved' else 'pending' end, '005b' || lpad(n::text, 11, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), 'cwfb' || lpad((n % 20 + 1)::text, 11, '0'), 'cwsb' || lpad((n % 20 + 1)::text, 11, '0') from ${each}`,
      `insert into workflow_decisions (account_id, item_id, round, step_id, user_id, created, is_approve)
      select account_id, 'cwib' || lpad(n::text, 11, '0'), 1, '', '00Ab' || lpad(n::text, 11, '0'), now(), true from ${each}`,
    ],
    lists: (orders) => ({
      '/workflow': [
        '_count=100',
        '_count=100&_page=5&withSteps=1',
        ...orders('created').map((order) => `_count=100&${order}`),
      ],
      '/workflow-step': [
        '_count=100',
        '_count=100&_page=50',
        'workflowId=cwfb00000000007',
        '_count=100&_order=position,0',
      ],
      '/workflow-item': [
        '',
        'page=50',
        'workflowId=cwfb00000000007',
        'stepId=cwsb00000000007',
        'withHistory=1&withAuthors=1&withSteps=1',
        ...orders('created'),
      ],
      '/app/api/workflow-item': ['to-decide', 'waiting', 'sent', 'decided'].flatMap((view) => [
        `view=${view}`,
        `view=${view}&_page=2`,
      ]),
      '/app/api/workflow-item/cwib00000000007': [''],
      '/app/api/workflow-item/cwib00000000007/changes': [''],
    }),
    sorted: ['from "workflow_steps"', 'from "workflow_decisions"'],
  },
  notified: [{ kind: 'approval', table: 'workflow_items', unseen: [] }],
}

/** Both users may approve. */
const newWorkflow = async ({ admin }: TestService) => {
  const approverIds = `${demoAdmin},${demoPublisher}`
  const steps = [{ name: 'Check', approverIds }]
  return (await admin('POST /app/api/workflow', { body: { name: 'Example', steps } })).json.Workflow
}

const newWorkflowItem = async (service: TestService): Promise<string> => {
  const body = { entityId: await newMessage(service), workflowId: (await newWorkflow(service)).Id }
  return (await service.admin('POST /workflow-item', { body })).json.Data.Id
}

/** Submits content of a restricted campaign, board or workflow; `then` continues with the item. */
function submitting(then: (scene: Scene, item: string) => Promise<string>): Causes {
  const continued = async (scene: Scene, entityId: string, workflowId: string) =>
    then(scene, await scene.made('POST /workflow-item', { entityId, workflowId }, 'Data'))
  return {
    campaign: async (scene) => continued(scene, await scene.planned(scene.restricted.campaign), scene.open.workflow),
    board: async (scene) => {
      const story = await scene.story({ boardId: scene.restricted.board, isDraft: 1 })
      return continued(scene, story, scene.open.workflow)
    },
    workflow: async (scene) => continued(scene, await scene.planned(scene.open.campaign), scene.restricted.workflow),
  }
}

function deciding(isApprove: 0 | 1): Causes {
  return submitting(async ({ service }, item) => {
    await service.admin(`POST /workflow-item/${item}`, { body: { isApprove, note: 'Decided' } })
    return item
  })
}
