import { momentOf, now } from '../../../time/days.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { type Status, StatusSign } from '../../../ui/marks/status.tsx'
import type { Body } from '../../../wire/call.ts'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { distance, listFew } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { type Changes, type Item, remindedAt } from './item.ts'

type Step = Body<'v2 GET /workflow-step'>['Items'][number]
type Decision = Changes['Rounds'][number]['Decisions'][number]

/** How far it has come: who agreed, who is missing and since when, who comes later. */
export function Steps({ item, changes }: { item: Item; changes: Changes }) {
  const { data } = useCall('v2 GET /workflow-step', { workflowId: item.WorkflowId }, { keepsLast: false })
  const steps = data?.Items ?? []
  const round = changes.Rounds.find(({ ItemId, Round }) => ItemId === item.Id && Round === item.Round)
  const decisions = round?.Decisions ?? []
  const at = steps.findIndex(({ Id }) => Id === item.StepId)
  return (
    <section className="steps">
      <h3 className="panel-title">
        {words.approvals.steps} <small className="quiet">{item.WorkflowName}</small>
      </h3>
      {at < 0 ? (
        <p>{words.approvals.stepOf(item.Step, item.Steps)}</p>
      ) : (
        <ol>
          {steps.map((step, index) => (
            <StepLine
              key={step.Id}
              step={step}
              state={stateOf(item, index, at)}
              decisions={decisions.filter(({ StepId }) => StepId === step.Id)}
              names={changes.Authors}
            />
          ))}
        </ol>
      )}
      {item.Status === 'pending' && <Missing item={item} />}
    </section>
  )
}

type State = keyof typeof words.approvals.stepState

function stateOf(item: Item, index: number, at: number): State {
  if (index < at || item.Status === 'approved') return 'done'
  if (index > at) return item.Status === 'rejected' ? 'skipped' : 'later'
  return item.Status === 'rejected' ? 'stopped' : 'now'
}

const signs: { [state in State]: Status } = {
  done: 'sent',
  now: 'waiting',
  later: 'draft',
  stopped: 'failed',
  skipped: 'draft',
}

interface StepLineProps {
  step: Step
  state: State
  decisions: readonly Decision[]
  names: Changes['Authors']
}

function StepLine({ step, state, decisions, names }: StepLineProps) {
  const w = words.approvals
  const asked = step.Approvers.map(({ Name }) => Name)
  const nameOf = (id: string) => names[id]?.Name ?? w.somebody
  return (
    <li className="step" data-state={state}>
      <StatusSign status={signs[state]} />
      <span className="step-words">
        <span>
          <strong dir="auto">{step.Name}</strong> <span className="unseen">{w.stepState[state]}</span>
        </span>
        {decisions.length === 0 && asked.length > 0 && (
          <span className="quiet" dir="auto">
            {asked.length === 1
              ? asked[0]
              : (step.MustBeApprovedByEveryone ? w.allOf : w.anyOf)(listFew(asked, w.others))}
          </span>
        )}
        {decisions.map(({ UserId, IsApprove, Created }) => (
          <span key={UserId} className="quiet" dir="auto">
            {(IsApprove ? w.agreed : w.refused)(nameOf(UserId), distance(momentOf(Created), now()))}
          </span>
        ))}
      </span>
    </li>
  )
}

/** Whom it waits for, with a way to remind them: once a day is enough. */
function Missing({ item }: { item: Item }) {
  const may = useMay()
  const reminded = remindedAt(item)
  const remind = useChange('POST /workflow-item/{id}/remind', {
    stale: ['GET /workflow-item', 'GET /workflow-item/{id}'],
    done: ({ Reminded }) =>
      say(
        words.approvals.reminded(
          listFew(
            Reminded.map(({ Name }) => Name),
            words.approvals.others,
          ),
        ),
      ),
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const names = item.Missing.map(({ Name }) => Name)
  return (
    <div className="missing">
      <p dir="auto">
        {names.length === 0
          ? words.approvals.nobody
          : words.approvals.missing(
              listFew(names, words.approvals.others),
              distance(momentOf(item.WaitingSince), now()),
            )}
      </p>
      {reminded !== undefined && <p className="quiet">{words.approvals.remindedAt(distance(reminded, now()))}</p>}
      {may('contribute') && names.length > 0 && (
        <Button icon="bell" busy={remind.isPending} onClick={() => remind.mutate({ id: item.Id })}>
          {words.approvals.remind}
        </Button>
      )}
    </div>
  )
}
