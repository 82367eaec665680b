import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatDateTime, formatRelativeTime, formatShortList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { now, parseTimestamp } from '@/time/days.ts'
import { Avatar, type Status, StatusIcon } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { toast } from '@/ui/toasts.tsx'
import { type Changes, type Item, remindedAt } from './approval-item.ts'
import * as styles from './approvals.module.css'

type Step = Body<'v2 GET /workflow-step'>['Items'][number]
type Decision = Changes['Rounds'][number]['Decisions'][number]

/** Progress through the workflow: approved steps, pending approvers and since when, and later steps. */
export function Steps({ item, changes }: { item: Item; changes: Changes }) {
  const { data } = useApiQuery('v2 GET /workflow-step', { workflowId: item.WorkflowId }, { keepPrevious: false })
  const steps = data?.Items ?? []
  const round = changes.Rounds.find(({ ItemId, Round }) => ItemId === item.Id && Round === item.Round)
  const decisions = round?.Decisions ?? []
  const at = steps.findIndex(({ Id }) => Id === item.StepId)
  return (
    <section data-testid="steps" className={styles.steps}>
      <h3 className={layoutStyles.panelTitle}>
        {texts.approvals.steps} <small className="muted">{item.WorkflowName}</small>
      </h3>
      {at < 0 ? (
        <p>{texts.approvals.stepOf(item.Step, item.Steps)}</p>
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
      {item.Status === 'pending' && <PendingApprovers item={item} />}
    </section>
  )
}

type State = keyof typeof texts.approvals.stepState

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
  const t = texts.approvals
  const asked = step.Approvers.map(({ Name }) => Name)
  const nameOf = (id: string) => names[id]?.Name ?? t.unknownUser
  return (
    <li data-testid="step" className={styles.step} data-state={state}>
      <StatusIcon status={signs[state]} />
      <span className={styles.stepText}>
        <span>
          <strong dir="auto">{step.Name}</strong> <span className="visually-hidden">{t.stepState[state]}</span>
        </span>
        {decisions.length === 0 && asked.length > 0 && (
          <span className="muted" dir="auto">
            {asked.length === 1
              ? asked[0]
              : (step.MustBeApprovedByEveryone ? t.allOf : t.anyOf)(formatShortList(asked, t.others))}
          </span>
        )}
        {decisions.map(({ UserId, IsApprove, Created }) => (
          <span key={UserId} className="muted" dir="auto">
            {(IsApprove ? t.agreed : t.refused)(nameOf(UserId), formatRelativeTime(parseTimestamp(Created), now()))}
          </span>
        ))}
      </span>
    </li>
  )
}

/** The pending approvers with a reminder button; the server accepts one reminder a day. */
function PendingApprovers({ item }: { item: Item }) {
  const may = useMay()
  const reminded = remindedAt(item)
  const remind = useApiMutation('POST /workflow-item/{id}/remind', {
    invalidates: ['GET /workflow-item', 'GET /workflow-item/{id}'],
    onSuccess: ({ Reminded }) =>
      toast(
        texts.approvals.reminded(
          formatShortList(
            Reminded.map(({ Name }) => Name),
            texts.approvals.others,
          ),
        ),
      ),
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const names = item.Missing.map(({ Name }) => Name)
  return (
    <div data-testid="pending-approvers" className={styles.pendingApprovers}>
      <p dir="auto">
        {names.length === 0
          ? texts.approvals.nobody
          : texts.approvals.missing(
              formatShortList(names, texts.approvals.others),
              formatRelativeTime(parseTimestamp(item.WaitingSince), now()),
            )}
      </p>
      {reminded !== undefined && (
        <p className="muted">{texts.approvals.remindedAt(formatRelativeTime(reminded, now()))}</p>
      )}
      {may('contribute') && names.length > 0 && (
        <Button icon="bell" busy={remind.isPending} onClick={() => remind.mutate({ id: item.Id })}>
          {texts.approvals.remind}
        </Button>
      )}
    </div>
  )
}

interface Entry {
  key: string
  at: string
  name: string
  /** The decision, if there is one. */
  action: string
  text: string
}

/** Decisions and comments, newest last. */
export function Comments({ item, changes }: { item: Item; changes: Changes }) {
  const { data } = useApiQuery('v2 GET /workflow-item-note', { id: item.Id }, { keepPrevious: false })
  const entries = data ? entriesOf(data, changes) : []
  return (
    <section data-testid="comments" className={styles.comments}>
      <h3 className={layoutStyles.panelTitle}>{texts.approvals.comments}</h3>
      {data && entries.length === 0 && <p className="muted">{texts.approvals.noComments}</p>}
      <ol>
        {entries.map(({ key, at, name, action, text }) => (
          <li key={key} className={styles.comment}>
            <Avatar name={name} />
            <div>
              <p>
                <strong dir="auto">{name}</strong> {action}{' '}
                <time className="muted" title={formatDateTime(parseTimestamp(at))}>
                  {formatRelativeTime(parseTimestamp(at), now())}
                </time>
              </p>
              {text && (
                <p className={styles.contentText} dir="auto">
                  {text}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

type Notes = { Notes: readonly { Id: string; UserId: string; Created: string; Text: string }[]; Authors: Authors }
type Authors = { readonly [id: string]: { Name: string } | undefined }

/** The note of a decision is also stored as a comment; it is shown only once, with the decision. */
function entriesOf({ Notes, Authors }: Notes, changes: Changes): Entry[] {
  const decisions = changes.Rounds.flatMap(({ Decisions }) => Decisions)
  const nameOf = (id: string, authors: Authors) => authors[id]?.Name ?? texts.approvals.unknownUser
  const decided = decisions.map(({ UserId, StepId, IsApprove, Note, Created }): Entry => {
    const action = IsApprove ? texts.approvals.approvedIt : texts.approvals.rejectedIt
    return {
      key: `${StepId} ${UserId} ${Created}`,
      at: Created,
      name: nameOf(UserId, changes.Authors),
      action,
      text: Note,
    }
  })
  const isDecisions = ({ UserId, Text, Created }: Notes['Notes'][number]) =>
    decisions.some((one) => one.UserId === UserId && one.Note === Text && one.Created === Created)
  const notes = Notes.filter((note) => !isDecisions(note)).map(
    ({ Id, UserId, Created, Text }): Entry => ({
      key: Id,
      at: Created,
      name: nameOf(UserId, Authors),
      action: '',
      text: Text,
    }),
  )
  return [...decided, ...notes].sort((one, other) => one.at.localeCompare(other.at))
}
