import { changeSearch, useAddress, withSearch } from '../../../shell/router.ts'
import { Button, LinkButton } from '../../../ui/inputs/button.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { list } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { Group, Part } from './part.tsx'
import { type Workflow, workflowLists } from './workflow.ts'
import { WorkflowEditor } from './workflow-editor.tsx'

/** Through which steps content goes before it is published; the default workflow first, then those in use. */
export function Workflows() {
  const { search } = useAddress()
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useCall('GET /workflow', {})
  const wanted = search.get('workflow')
  const items = [...(data?.Items ?? [])].sort(
    (one, other) => other.IsDefault - one.IsDefault || one.Status.localeCompare(other.Status),
  )
  const edited = items.find(({ Id }) => Id === wanted)
  const close = () => changeSearch({ workflow: '' })
  return (
    <Part
      calls={[
        'GET /app/api/workflow',
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
  const { Id, Name, Status, Steps, IsDefault } = workflow
  const how = {
    stale: workflowLists,
    refused: ({ message }: { message: string }) => say(message, { kind: 'problem' as const }),
  }
  const retire = useChange('DELETE /workflow/{id}', how)
  const change = useChange('PUT /workflow/{id}', how)
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
                {whoDecides(step)}
              </span>
            </li>
          ))}
        </ol>
      </div>
      <StatusMark status={isInUse ? 'sent' : 'draft'}>
        {IsDefault ? words.settings.defaultWorkflow : isInUse ? words.settings.inUse : words.settings.outOfUse}
      </StatusMark>
      {mayChange && (
        <div className="settings-acts">
          <LinkButton icon="write" href={withSearch({ workflow: Id })}>
            {words.settings.change}
          </LinkButton>
          {isInUse && !IsDefault && (
            <>
              <Button busy={change.isPending} onClick={() => change.mutate({ id: Id, isDefault: true })}>
                {words.settings.makeDefault}
              </Button>
              <Button busy={retire.isPending} onClick={() => retire.mutate({ id: Id })}>
                {words.settings.retire}
              </Button>
            </>
          )}
          {!isInUse && (
            <Button busy={change.isPending} onClick={() => change.mutate({ id: Id, status: 'active' })}>
              {words.settings.revive}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}

/** People by their names; roles as such, since anybody may get one. */
function whoDecides({ MustBeApprovedByEveryone, Approvers, ApproverRoles }: Workflow['Steps'][number]): string {
  const w = words.settings
  if (ApproverRoles.length > 0) return (MustBeApprovedByEveryone ? w.stepByAllOf : w.stepByAnyOf)(ApproverRoles)
  if (Approvers.length === 0) return w.stepByAdmins
  return w.stepBy(MustBeApprovedByEveryone, list(Approvers.map(({ Name }) => Name)))
}
