import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { type Approvables, approvableOf, type Part } from '../approvable.ts'
import { visible } from '../item/item.ts'
import { authorsOf } from '../item/people.ts'
import { type Wording, wordingsOf } from '../item/wording.ts'

/** Only the latest rounds are shown. */
const mostRounds = 20

/**
 * The history of the content: its version in every round of this and earlier items with the decisions on it, the current version, and the
 * parts that changed since the last round with a decision.
 */
export async function changes(context: Context, approvables: Approvables, { id }: { id: string }) {
  const item = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!item) throw missing('Workflow item')
  const { entityId } = item
  const itemIds = await itemsOf(context, entityId)
  const wordings = await wordingsOf(context, itemIds, mostRounds)
  const decisions = await decisionsOn(context, itemIds)
  const rounds = wordings.map((wording) => ({ ...wording, decisions: decisions.filter((one) => isOf(wording, one)) }))
  const now = (await approvableOf(approvables, entityId)?.wording(context, entityId)) ?? []
  const since = rounds.find((round) => round.decisions.length > 0)
  const authorIds = rounds.flatMap((round) => [round.createdBy, ...round.decisions.map(({ userId }) => userId)])
  return {
    entityId,
    rounds,
    now,
    changed: since ? differences(since.parts, now) : [],
    authors: await authorsOf(context, authorIds),
  }
}

const isOf = (one: Pick<Wording, 'itemId' | 'round'>, other: Pick<Wording, 'itemId' | 'round'>) =>
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

const decisionsOn = ({ db, accountId }: Context, itemIds: readonly string[]) =>
  db
    .selectFrom('workflowDecisions')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('itemId', 'in', itemIds)
    .orderBy('created')
    .orderBy('userId')
    .execute()
