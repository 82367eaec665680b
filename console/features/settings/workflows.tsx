import { useState } from 'react'
import { may } from '#kernel/permissions.ts'
import type { Body } from '@/api/call.ts'
import { told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { list } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, useAddress, withSearch } from '@/routes/router.ts'
import { StatusMark } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { ManyCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, Segments } from '@/ui/field.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { Group, Part } from './section.tsx'

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

interface Step {
  /** Tells steps apart that have no id yet. */
  key: string
  id: string
  name: string
  isForAll: boolean
  approverIds: string[]
  /** Whose users decide without being named. */
  approverRoles: readonly ApproverRole[]
}

type ApproverRole = Workflow['Steps'][number]['ApproverRoles'][number]

const most = 20
const allRoles: readonly ApproverRole[] = ['admin', 'publisher']

const newStep = (): Step => ({
  key: crypto.randomUUID(),
  id: '',
  name: '',
  isForAll: false,
  approverIds: [],
  approverRoles: [],
})

const stepsOf = ({ Steps }: Workflow): Step[] =>
  Steps.map(({ Id, Name, MustBeApprovedByEveryone, Approvers, ApproverRoles }) => ({
    key: Id,
    id: Id,
    name: Name,
    isForAll: MustBeApprovedByEveryone,
    // Everybody with one of the roles is among the approvers.
    approverIds: ApproverRoles.length > 0 ? [] : Approvers.map((approver) => approver.Id),
    approverRoles: ApproverRoles,
  }))

/** A workflow, whole: its steps in their order, and who decides at each. */
export function WorkflowEditor({ workflow, onClose }: { workflow?: Workflow; onClose: () => void }) {
  const [name, setName] = useState(workflow?.Name ?? '')
  const [steps, setSteps] = useState(() => (workflow ? stepsOf(workflow) : [newStep()]))
  const how = { stale: workflowLists, done: onClose }
  const create = useChange('POST /workflow', how)
  const update = useChange('PUT /workflow/{id}', how)
  const problem = create.error ?? update.error
  const isBusy = create.isPending || update.isPending
  const change = (key: string, part: Partial<Step>) =>
    setSteps(steps.map((step) => (step.key === key ? { ...step, ...part } : step)))
  const move = (index: number, by: number) => {
    const moved = steps.toSpliced(index, 1)
    setSteps(moved.toSpliced(index + by, 0, steps[index] as Step))
  }
  const save = () => {
    if (isBusy) return
    const given = {
      name,
      steps: steps.map((step) => ({
        ...(step.id && { id: step.id }),
        name: step.name,
        mustBeApprovedByEveryone: step.isForAll,
        approverIds: step.approverIds,
        approverRoles: [...step.approverRoles],
      })),
    }
    if (workflow) update.mutate({ id: workflow.Id, ...given })
    else create.mutate(given)
  }
  return (
    <Dialog
      title={workflow ? words.settings.changeWorkflow : words.settings.newWorkflow}
      onClose={onClose}
      onSubmit={save}
      className="workflow-editor"
    >
      {problem && <Problem {...told(problem)} />}
      <Field
        label={words.settings.workflowName}
        name="name"
        value={name}
        maxLength={255}
        dir="auto"
        autoFocus
        onChange={setName}
      />
      <ol className="workflow-drafts">
        {steps.map((step, index) => (
          <li key={step.key}>
            <header>
              <h3>{words.settings.step(index + 1)}</h3>
              {index > 0 && (
                <IconButton icon="up" label={words.settings.earlier(index + 1)} onClick={() => move(index, -1)} />
              )}
              {index < steps.length - 1 && (
                <IconButton icon="down" label={words.settings.later(index + 1)} onClick={() => move(index, 1)} />
              )}
              {steps.length > 1 && (
                <IconButton
                  icon="trash"
                  label={words.settings.removeStep(index + 1)}
                  onClick={() => setSteps(steps.filter(({ key }) => key !== step.key))}
                />
              )}
            </header>
            <StepFields step={step} number={index + 1} onChange={(part) => change(step.key, part)} />
          </li>
        ))}
      </ol>
      {steps.length < most && (
        <div>
          <Button icon="plus" onClick={() => setSteps([...steps, newStep()])}>
            {words.settings.addStep}
          </Button>
        </div>
      )}
      {workflow && <p className="hint">{words.settings.stepsMoveOn}</p>}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={isBusy}>
          {workflow ? words.settings.save : words.settings.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface StepFieldsProps {
  step: Step
  number: number
  onChange: (part: Partial<Step>) => void
}

function StepFields({ step, number, onChange }: StepFieldsProps) {
  const [q, setQ] = useState('')
  const { data: found } = useCall('GET /user', { _count: 100, _order: 'name,1', ...(q && { q }) })
  const { data: all } = useCall('GET /user', { _count: 100, _order: 'name,1' })
  // Those chosen before stay named, whatever is looked for.
  const known = new Map([...(all?.Items ?? []), ...(found?.Items ?? [])].map((one) => [one.Id, one]))
  const shown = new Set(found?.Items.map(({ Id }) => Id))
  const options = [...known.values()]
    .filter(({ Id, Role }) => step.approverIds.includes(Id) || (shown.has(Id) && may(Role, 'approve')))
    .map(({ Id, Name, Role }) => ({ value: Id, label: Name, detail: words.shell.role[Role] }))
  const roles = step.approverRoles.length > 0 ? step.approverRoles : allRoles
  return (
    <>
      <Field
        label={words.settings.stepName}
        name={`step ${number}`}
        value={step.name}
        maxLength={255}
        dir="auto"
        onChange={(name) => onChange({ name })}
      />
      <Segments
        label={words.settings.decidersOf(number)}
        value={step.approverRoles.length > 0 ? 'roles' : 'people'}
        options={[
          { value: 'people', label: words.settings.byPeople },
          { value: 'roles', label: words.settings.byRoles(roles) },
        ]}
        onChange={(value) => onChange({ approverIds: [], approverRoles: value === 'roles' ? roles : [] })}
      />
      {step.approverRoles.length === 0 && (
        <ManyCombobox
          label={words.settings.approvers}
          placeholder={words.settings.addApprover}
          hint={words.settings.approversWhy}
          options={options}
          onFind={setQ}
          values={step.approverIds}
          onChange={(approverIds) => onChange({ approverIds })}
        />
      )}
      {(step.approverIds.length > 1 || step.approverRoles.length > 0) && (
        <Segments
          label={words.settings.howMany(number)}
          value={step.isForAll ? 'all' : 'any'}
          options={[
            { value: 'any', label: words.settings.any },
            { value: 'all', label: words.settings.all },
          ]}
          onChange={(value) => onChange({ isForAll: value === 'all' })}
        />
      )}
    </>
  )
}

export type Workflow = Body<'GET /workflow'>['Items'][number]

/** What is no more as it was read when a workflow changes. */
export const workflowLists = [
  'GET /workflow',
  'v2 GET /workflow',
  'v2 GET /workflow/{id}',
  'GET /workflow-item',
] as const
