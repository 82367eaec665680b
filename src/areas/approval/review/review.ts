import { type RawBuilder, sql } from 'kysely'
import { isShownTo, withinTeams } from '#areas/account/team/visibility.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { paginate } from '#kernel/database/paginate.ts'
import { conflict, missing, Refusal } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { may } from '#kernel/permissions.ts'
import { type Approvables, approvableOf, type Description, type Part } from '../approvable.ts'
import { approvalIds } from '../declarations.ts'
import { askedAt, isCallersStep, isLeftToAdmins } from '../item/approvers.ts'
import {
  authorsOf,
  changeItem,
  decisionsOn,
  findItem,
  type Item,
  lockItem,
  pending,
  type StoredContent,
  storedContents,
  visible,
  withBoard,
} from '../item/item.ts'
import { askToDecide } from '../item/item-step.ts'
import { type Approver, assigned, canApprove, type Step, stepOf } from '../workflow/workflow.ts'

export const views = ['to-decide', 'waiting', 'sent', 'decided'] as const
type View = (typeof views)[number]

interface Search {
  view: View
  _page?: number | undefined
  _count?: number | undefined
}

const usualCount = 50
const excerptLength = 280

/**
 * Items by view: those the caller has to decide, all pending ones, those the caller submitted, and decided ones; each with its progress.
 */
export async function list(context: Context, approvables: Approvables, { view, _page = 0, _count }: Search) {
  const limit = _count ?? usualCount
  const column = view === 'decided' ? 'modified' : 'created'
  const { items, total } = await paginate(matching(context, view), {
    offset: _page * limit,
    limit,
    order: { column, kind: 'date', ascending: view === 'to-decide' || view === 'waiting' },
  })
  return { items: await reviewed(context, approvables, items), total }
}

/** One item in any status, by its id or that of its content; a withdrawn one is not found. */
export async function get(context: Context, approvables: Approvables, { id }: { id: string }) {
  const notRemoved = visible(context).where('status', '<>', 'removed')
  const item = await (isId(approvalIds.workflowItem, id)
    ? notRemoved.where('id', '=', id)
    : notRemoved.where('entityId', '=', id).orderBy('created', 'desc').orderBy('id', 'desc').limit(1)
  ).executeTakeFirst()
  const [shown] = item ? await reviewed(context, approvables, [item]) : []
  if (!shown) throw missing('Workflow item')
  return shown
}

/** Adds the progress of each item. */
async function reviewed(context: Context, approvables: Approvables, items: readonly Item[]) {
  if (items.length === 0) return []
  const about = await describeAll(context, approvables, items)
  const steps = await stepsOf(context, items)
  const waiting = items.filter(({ status }) => status === 'pending')
  const approvers = await approversOfAll(context, waiting)
  const approved = await approvalsOf(context, waiting)
  const authors = await authorsOf(
    context,
    items.map(({ createdBy }) => createdBy),
  )
  return items.map((item) => {
    const itemApprovers = approvers.filter(({ itemId }) => itemId === item.id)
    const isAsked = itemApprovers.some(({ id }) => id === context.userId)
    const position = placeOf(item, steps)
    const isPending = item.status === 'pending'
    const { text = '', due, planned = '' } = about.get(item.entityId) ?? {}
    return {
      ...withBoard(item),
      ...position,
      createdByName: authors.find(({ id }) => id === item.createdBy)?.name ?? '',
      text: [...text].slice(0, excerptLength).join(''),
      planned,
      due: due ?? null,
      dueState: dueState(context.now, due, isPending ? position.stepsLeft : 0),
      missing: itemApprovers.filter(({ id }) => !approved.has(item, id)),
      mayDecide: isPending && (isAsked || may(context.role, 'administer')),
    }
  })
}

function matching(context: Context, view: View) {
  const items = visible(context)
  if (view === 'sent') return items.where('createdBy', '=', context.userId)
  if (view === 'decided') return items.where(sql<boolean>`status in ('approved', 'rejected')`)
  const waiting = items.where('status', '=', pending)
  return view === 'waiting' ? waiting : waiting.where(isPendingForCaller(context))
}

/** The caller is an approver of the item's step and has not approved yet; if no approver can decide, the admins have to. */
function isPendingForCaller(context: Context): RawBuilder<boolean> {
  const { accountId, userId, role } = context
  if (!may(role, 'approve')) return sql`false`
  const step = sql.ref('workflow_items.step_id')
  const isAsked = sql<boolean>`(${isCallersStep(context, step)}
    and not exists (select from workflow_decisions d where d.account_id = ${accountId} and d.item_id = workflow_items.id
      and d.round = workflow_items.round and d.step_id = workflow_items.step_id and d.user_id = ${userId} and d.is_approve))`
  if (!may(role, 'administer')) return isAsked
  return sql`(${isAsked} or ${isLeftToAdmins(context, step, sql.ref('workflow_items.scope_id'))})`
}

/** One or two statements for each kind of content, however many items there are. */
async function describeAll(context: Context, approvables: Approvables, items: readonly Item[]) {
  const all = new Map<string, Description>()
  for (const approvable of approvables) {
    const ids = items.map(({ entityId }) => entityId).filter((id) => approvableOf([approvable], id))
    if (ids.length === 0) continue
    for (const [id, description] of await approvable.describe(context, [...new Set(ids)])) all.set(id, description)
  }
  return all
}

type NamedStep = Pick<Step, 'id' | 'workflowId' | 'position' | 'name' | 'removed'> & { workflowName: string }

/** The steps of the items' workflows and the items' current steps; without names if the caller may not see the workflow. */
async function stepsOf(context: Context, items: readonly Item[]): Promise<NamedStep[]> {
  const { db, accountId } = context
  const { rows } = await sql<NamedStep>`
    select s.id, s.workflow_id, s.position, s.removed, case when seen.it then s.name else '' end as name,
      case when seen.it then w.name else '' end as workflow_name
    from workflow_steps s
    join workflows w on w.account_id = ${accountId} and w.id = s.workflow_id
    cross join lateral (select ${withinTeams(context, 'w.id')} as it) seen
    where s.account_id = ${accountId} and s.workflow_id = any (${[...new Set(items.map(({ workflowId }) => workflowId))]})
    order by s.position`.execute(db)
  return rows
}

/** The progress of an item: the number of its step, the number of steps, and the steps left. */
function placeOf({ stepId, workflowId }: Item, steps: readonly NamedStep[]) {
  const step = steps.find(({ id }) => id === stepId)
  const current = steps.filter((one) => one.workflowId === workflowId && (one.removed === null || one.id === stepId))
  const at = current.findIndex(({ id }) => id === stepId)
  return {
    stepName: step?.name ?? '',
    workflowName: step?.workflowName ?? '',
    step: at + 1,
    steps: current.length,
    stepsLeft: current.length - at,
  }
}

/** Whether content can still be approved in time. */
export const dueStates = ['none', 'ahead', 'tight', 'over'] as const
type DueState = (typeof dueStates)[number]

/** The time approvers are expected to need for each step. */
const perStep = day

/**
 * `over`: the planned time has passed, and it is published as soon as it is approved. `tight`: less than a day is left for each remaining
 * step, so it is likely to be due before it is approved.
 */
function dueState(now: Date, due: Date | undefined, stepsLeft: number): DueState {
  if (!due || stepsLeft === 0) return 'none'
  const left = due.getTime() - now.getTime()
  if (left <= 0) return 'over'
  return left < stepsLeft * perStep ? 'tight' : 'ahead'
}

/** The users who approved at the current step of each item, in its current round. */
async function approvalsOf({ db, accountId }: Context, items: readonly Item[]) {
  const { rows } = await sql<{ itemId: string; userId: string }>`
    select d.item_id, d.user_id from workflow_decisions d
    join workflow_items i on i.account_id = ${accountId} and i.id = d.item_id and i.round = d.round and i.step_id = d.step_id
    where d.account_id = ${accountId} and d.item_id = any (${items.map(({ id }) => id)}) and d.is_approve`.execute(db)
  const approvals = new Set(rows.map(({ itemId, userId }) => `${itemId} ${userId}`))
  return { has: ({ id }: Pick<Item, 'id'>, userId: string) => approvals.has(`${id} ${userId}`) }
}

/** The users who can decide on each item at its current step; none if no approver can. */
async function approversOfAll({ db, accountId }: Context, items: readonly Item[]) {
  const stepIds = [...new Set(items.map(({ stepId }) => stepId))]
  const { rows } = await sql<Approver & { itemId: string }>`
    select i.id as item_id, u.id, u.created, u.name, u.email
    from workflow_items i
    join ${assigned(accountId, stepIds)} a on a.step_id = i.step_id
    join users u on u.account_id = ${accountId} and u.id = a.user_id
    where i.account_id = ${accountId} and i.id = any (${items.map(({ id }) => id)}) and ${canApprove}
      and (u.role = 'admin' or ${isShownTo({ accountId }, sql`u.id`, sql`i.scope_id`)})
    order by u.id`.execute(db)
  return rows
}

/** Only the latest rounds are shown. */
const mostRounds = 20

/**
 * The history of the content: its version in every round of this and earlier items with the decisions on it, the current version, and the
 * parts that changed since the last round with a decision.
 */
export async function history(context: Context, approvables: Approvables, { id }: { id: string }) {
  const item = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!item) throw missing('Workflow item')
  const { entityId } = item
  const itemIds = await itemsOf(context, entityId)
  const wordings = await storedContents(context, itemIds, mostRounds)
  const decisions = await decisionsOn(context, itemIds)
  const versions = wordings.map((wording) => ({ ...wording, decisions: decisions.filter((one) => isOf(wording, one)) }))
  const now = (await approvableOf(approvables, entityId)?.wording(context, entityId)) ?? []
  const since = versions.find((round) => round.decisions.length > 0)
  const authorIds = versions.flatMap((round) => [round.createdBy, ...round.decisions.map(({ userId }) => userId)])
  return {
    entityId,
    rounds: versions,
    now,
    changed: since ? differences(since.parts, now) : [],
    authors: await authorsOf(context, authorIds),
  }
}

const isOf = (one: Pick<StoredContent, 'itemId' | 'round'>, other: Pick<StoredContent, 'itemId' | 'round'>) =>
  one.itemId === other.itemId && one.round === other.round

/** In the current order of the parts, followed by removed ones. */
function differences(before: readonly Part[], now: readonly Part[]) {
  const names = [...new Set([...now, ...before].map(({ name }) => name))]
  const textOf = (parts: readonly Part[], name: string) => parts.find((part) => part.name === name)?.text ?? ''
  return names
    .map((name) => ({ name, before: textOf(before, name), now: textOf(now, name) }))
    .filter((one) => one.before !== one.now)
}

/** The latest, including withdrawn ones. */
async function itemsOf({ db, accountId }: Context, entityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('workflowItems')
    .select('id')
    .where('accountId', '=', accountId)
    .where('entityId', '=', entityId)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(mostRounds)
    .execute()
  return rows.map(({ id }) => id)
}

/** Reminds the approvers who have not decided at the item's step by email; at most once a day. */
export async function remind(context: Context, approvables: Approvables, { id }: { id: string }) {
  const { now, userId } = context
  const item = await lockItem(context, await findItem(context, id))
  const approvable = approvableOf(approvables, item.entityId)
  const wait = item.reminded ? item.reminded.getTime() + day - now.getTime() : 0
  if (wait > 0)
    throw new Refusal('limited', 'They were reminded less than a day ago. Once a day is enough.', {
      retryAfter: Math.ceil(wait / 1000),
    })
  const approved = await approvalsOf(context, [item])
  const people = (await askedAt(context, item)).filter((one) => one.id !== userId && !approved.has(item, one.id))
  if (!approvable || people.length === 0) throw conflict('Nobody else is missing at its step.')
  const step = await stepOf(context, item.stepId)
  await askToDecide(context, approvable, item, { step, people, opening: 'still asks' })
  await changeItem(context, item, { reminded: now })
  return { reminded: people }
}
