import { useState } from 'react'
import { may } from '#kernel/permissions.ts'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, setSearch, useLocation } from '@/routes/router.ts'
import { StatusBadge } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { MultiCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { Field, SegmentedControl } from '@/ui/field.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { SettingsGroup, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

/** Approval workflows; the default first, then those in use. */
export function Workflows() {
  const { search } = useLocation()
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useApiQuery('GET /workflow', {})
  const openId = search.get('workflow')
  const items = [...(data?.Items ?? [])].sort(
    (one, other) => other.IsDefault - one.IsDefault || one.Status.localeCompare(other.Status),
  )
  const edited = items.find(({ Id }) => Id === openId)
  const close = () => setSearch({ workflow: '' })
  return (
    <SettingsSection
      calls={[
        'GET /app/api/workflow',
        'POST /app/api/workflow',
        'PUT /app/api/workflow/{id}',
        'DELETE /app/api/workflow/{id}',
      ]}
    >
      <SettingsGroup
        title={texts.settings.section.workflows}
        description={texts.settings.workflowsWhy}
        actions={
          mayChange && (
            <Button variant="primary" icon="plus" onClick={() => setSearch({ workflow: 'new' })}>
              {texts.settings.newWorkflow}
            </Button>
          )
        }
      >
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        <ul className={styles.rows}>
          {items.map((workflow) => (
            <WorkflowRow key={workflow.Id} workflow={workflow} mayChange={mayChange} />
          ))}
        </ul>
      </SettingsGroup>
      {mayChange && openId === 'new' && <WorkflowEditor onClose={close} />}
      {mayChange && edited && <WorkflowEditor workflow={edited} onClose={close} />}
    </SettingsSection>
  )
}

function WorkflowRow({ workflow, mayChange }: { workflow: Workflow; mayChange: boolean }) {
  const { Id, Name, Status, Steps, IsDefault } = workflow
  const mutation = {
    invalidates: workflowLists,
    onError: ({ message }: { message: string }) => toast(message, { kind: 'problem' as const }),
  }
  const retire = useApiMutation('DELETE /workflow/{id}', mutation)
  const change = useApiMutation('PUT /workflow/{id}', mutation)
  const isInUse = Status === 'active'
  return (
    <li data-testid="settings-row" className={`${styles.row} ${styles.workflowRow}`}>
      <div className={styles.rowText}>
        <b dir="auto">{Name}</b>
        <ol className={styles.workflowSteps}>
          {Steps.map((step) => (
            <li key={step.Id}>
              <span dir="auto">{step.Name}</span>
              <span className="muted" dir="auto">
                {approversOf(step)}
              </span>
            </li>
          ))}
        </ol>
      </div>
      <StatusBadge status={isInUse ? 'sent' : 'draft'}>
        {IsDefault ? texts.settings.defaultWorkflow : isInUse ? texts.settings.inUse : texts.settings.outOfUse}
      </StatusBadge>
      {mayChange && (
        <div data-testid="actions" className={styles.actions}>
          <LinkButton icon="write" href={hrefWith({ workflow: Id })}>
            {texts.settings.change}
          </LinkButton>
          {isInUse && !IsDefault && (
            <>
              <Button busy={change.isPending} onClick={() => change.mutate({ id: Id, isDefault: true })}>
                {texts.settings.makeDefault}
              </Button>
              <Button busy={retire.isPending} onClick={() => retire.mutate({ id: Id })}>
                {texts.settings.retire}
              </Button>
            </>
          )}
          {!isInUse && (
            <Button busy={change.isPending} onClick={() => change.mutate({ id: Id, status: 'active' })}>
              {texts.settings.revive}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}

/** Approvers by name; roles by role name, since their members can change. */
function approversOf({ MustBeApprovedByEveryone, Approvers, ApproverRoles }: Workflow['Steps'][number]): string {
  const t = texts.settings
  if (ApproverRoles.length > 0) return (MustBeApprovedByEveryone ? t.stepByAllOf : t.stepByAnyOf)(ApproverRoles)
  if (Approvers.length === 0) return t.stepByAdmins
  return t.stepBy(MustBeApprovedByEveryone, formatList(Approvers.map(({ Name }) => Name)))
}

interface Step {
  /** React key for steps that have no id yet. */
  key: string
  id: string
  name: string
  isForAll: boolean
  approverIds: string[]
  /** Every user with one of these roles can decide. */
  approverRoles: readonly ApproverRole[]
}

type ApproverRole = Workflow['Steps'][number]['ApproverRoles'][number]

const maxSteps = 20
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
    // For a step with roles, the approvers in the response are all users with those roles.
    approverIds: ApproverRoles.length > 0 ? [] : Approvers.map((approver) => approver.Id),
    approverRoles: ApproverRoles,
  }))

/** A complete workflow: steps in order, with the approvers of each. */
export function WorkflowEditor({ workflow, onClose }: { workflow?: Workflow; onClose: () => void }) {
  const [name, setName] = useState(workflow?.Name ?? '')
  const [steps, setSteps] = useState(() => (workflow ? stepsOf(workflow) : [newStep()]))
  const mutation = { invalidates: workflowLists, onSuccess: onClose }
  const create = useApiMutation('POST /workflow', mutation)
  const update = useApiMutation('PUT /workflow/{id}', mutation)
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
    const params = {
      name,
      steps: steps.map((step) => ({
        ...(step.id && { id: step.id }),
        name: step.name,
        mustBeApprovedByEveryone: step.isForAll,
        approverIds: step.approverIds,
        approverRoles: [...step.approverRoles],
      })),
    }
    if (workflow) update.mutate({ id: workflow.Id, ...params })
    else create.mutate(params)
  }
  return (
    <Dialog
      title={workflow ? texts.settings.changeWorkflow : texts.settings.newWorkflow}
      onClose={onClose}
      onSubmit={save}
      className={styles.workflowEditor}
    >
      {problem && <ErrorMessage {...errorDetails(problem)} />}
      <Field
        label={texts.settings.workflowName}
        name="name"
        value={name}
        maxLength={255}
        dir="auto"
        autoFocus
        onChange={setName}
      />
      <ol className={styles.workflowDrafts}>
        {steps.map((step, index) => (
          <li key={step.key}>
            <header>
              <h3>{texts.settings.step(index + 1)}</h3>
              {index > 0 && (
                <IconButton icon="up" label={texts.settings.earlier(index + 1)} onClick={() => move(index, -1)} />
              )}
              {index < steps.length - 1 && (
                <IconButton icon="down" label={texts.settings.later(index + 1)} onClick={() => move(index, 1)} />
              )}
              {steps.length > 1 && (
                <IconButton
                  icon="trash"
                  label={texts.settings.removeStep(index + 1)}
                  onClick={() => setSteps(steps.filter(({ key }) => key !== step.key))}
                />
              )}
            </header>
            <StepFields step={step} number={index + 1} onChange={(part) => change(step.key, part)} />
          </li>
        ))}
      </ol>
      {steps.length < maxSteps && (
        <div>
          <Button icon="plus" onClick={() => setSteps([...steps, newStep()])}>
            {texts.settings.addStep}
          </Button>
        </div>
      )}
      {workflow && <p className={fieldStyles.hint}>{texts.settings.stepsMoveOn}</p>}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={isBusy}>
          {workflow ? texts.settings.save : texts.settings.make}
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
  const { data: found } = useApiQuery('GET /user', { _count: 100, _order: 'name,1', ...(q && { q }) })
  const { data: all } = useApiQuery('GET /user', { _count: 100, _order: 'name,1' })
  // Keep the names of chosen approvers, whatever the search returns.
  const known = new Map([...(all?.Items ?? []), ...(found?.Items ?? [])].map((one) => [one.Id, one]))
  const shown = new Set(found?.Items.map(({ Id }) => Id))
  const options = [...known.values()]
    .filter(({ Id, Role }) => step.approverIds.includes(Id) || (shown.has(Id) && may(Role, 'approve')))
    .map(({ Id, Name, Role }) => ({ value: Id, label: Name, detail: texts.shell.role[Role] }))
  const roles = step.approverRoles.length > 0 ? step.approverRoles : allRoles
  return (
    <>
      <Field
        label={texts.settings.stepName}
        name={`step ${number}`}
        value={step.name}
        maxLength={255}
        dir="auto"
        onChange={(name) => onChange({ name })}
      />
      <SegmentedControl
        label={texts.settings.decidersOf(number)}
        value={step.approverRoles.length > 0 ? 'roles' : 'people'}
        options={[
          { value: 'people', label: texts.settings.byPeople },
          { value: 'roles', label: texts.settings.byRoles(roles) },
        ]}
        onChange={(value) => onChange({ approverIds: [], approverRoles: value === 'roles' ? roles : [] })}
      />
      {step.approverRoles.length === 0 && (
        <MultiCombobox
          label={texts.settings.approvers}
          placeholder={texts.settings.addApprover}
          hint={texts.settings.approversWhy}
          options={options}
          onSearch={setQ}
          values={step.approverIds}
          onChange={(approverIds) => onChange({ approverIds })}
        />
      )}
      {(step.approverIds.length > 1 || step.approverRoles.length > 0) && (
        <SegmentedControl
          label={texts.settings.howMany(number)}
          value={step.isForAll ? 'all' : 'any'}
          options={[
            { value: 'any', label: texts.settings.any },
            { value: 'all', label: texts.settings.all },
          ]}
          onChange={(value) => onChange({ isForAll: value === 'all' })}
        />
      )}
    </>
  )
}

export type Workflow = Body<'GET /workflow'>['Items'][number]

/** Routes that become stale when a workflow changes. */
export const workflowLists = [
  'GET /workflow',
  'v2 GET /workflow',
  'v2 GET /workflow/{id}',
  'GET /workflow-item',
] as const
