import { changeSearch, useAddress, withSearch } from '../../../shell/router.ts'
import { Button, LinkButton } from '../../../ui/inputs/button.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { list } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { Group, Part } from './part.tsx'
import { type Workflow, workflowLists } from './workflow.ts'
import { WorkflowEditor } from './workflow-editor.tsx'

/** Through which steps content goes before it is published; those in use first. */
export function Workflows() {
  const { search } = useAddress()
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useCall('v2 GET /workflow', { withSteps: true })
  const wanted = search.get('workflow')
  const items = [...(data?.Items ?? [])].sort((one, other) => one.Status.localeCompare(other.Status))
  const edited = items.find(({ Id }) => Id === wanted)
  const close = () => changeSearch({ workflow: '' })
  return (
    <Part
      calls={[
        'GET /v2/workflow',
        'POST /app/api/workflow',
        'PUT /app/api/workflow/{id}',
        'DELETE /app/api/workflow/{id}',
      ]}
    >
      <Group
        title={words.settings.section.workflows}
        why={words.settings.workflowsWhy}
        actions={
          mayChange && (
            <Button kind="main" icon="plus" onClick={() => changeSearch({ workflow: 'new' })}>
              {words.settings.newWorkflow}
            </Button>
          )
        }
      >
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data?.Items.length === 0 && (
          <Empty icon="approvals" title={words.settings.noWorkflows}>
            {words.settings.noWorkflowsWhy}
          </Empty>
        )}
        <ul className="settings-rows">
          {items.map((workflow) => (
            <WorkflowRow key={workflow.Id} workflow={workflow} mayChange={mayChange} />
          ))}
        </ul>
      </Group>
      {mayChange && wanted === 'new' && <WorkflowEditor onClose={close} />}
      {mayChange && edited && <WorkflowEditor workflow={edited} onClose={close} />}
    </Part>
  )
}

function WorkflowRow({ workflow, mayChange }: { workflow: Workflow; mayChange: boolean }) {
  const { Id, Name, Status, Steps = [] } = workflow
  const how = {
    stale: workflowLists,
    refused: ({ message }: { message: string }) => say(message, { kind: 'problem' as const }),
  }
  const retire = useChange('DELETE /workflow/{id}', how)
  const revive = useChange('PUT /workflow/{id}', how)
  const isInUse = Status === 'active'
  return (
    <li className="settings-row workflow-row">
      <div className="settings-what">
        <b dir="auto">{Name}</b>
        <ol className="workflow-steps">
          {Steps.map((step) => (
            <li key={step.Id}>
              <span dir="auto">{step.Name}</span>
              <span className="quiet" dir="auto">
                {step.Approvers.length > 0
                  ? words.settings.stepBy(
                      step.MustBeApprovedByEveryone,
                      list(step.Approvers.map((approver) => approver.Name)),
                    )
                  : words.settings.stepByAdmins}
              </span>
            </li>
          ))}
        </ol>
      </div>
      <StatusMark status={isInUse ? 'sent' : 'draft'}>
        {isInUse ? words.settings.inUse : words.settings.outOfUse}
      </StatusMark>
      {mayChange && (
        <div className="settings-acts">
          <LinkButton icon="write" href={withSearch({ workflow: Id })}>
            {words.settings.change}
          </LinkButton>
          {isInUse ? (
            <Button busy={retire.isPending} onClick={() => retire.mutate({ id: Id })}>
              {words.settings.retire}
            </Button>
          ) : (
            <Button busy={revive.isPending} onClick={() => revive.mutate({ id: Id, status: 'active' })}>
              {words.settings.revive}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
