import { addDays, wallOf } from '../../../../time/days.ts'
import { dayLength, zoneLens } from '../../../../time/zone-lens.ts'
import { say } from '../../../../ui/layers/toasts.tsx'
import { call, type Sent } from '../../../../wire/call.ts'
import { inTurn, readAgain, shownAhead, told } from '../../../../wire/queries.ts'
import { readersZone } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import type { Planned } from '../plan.ts'
import { type Asked, lastTags, setMoments, showing } from './moving.ts'

type Changes = Sent<'POST /posts'>
type Post = Pick<Planned, 'id' | 'at'>

/** So many at a time. */
const most = 100

/** Moves posts by whole days, each at its own time of the day: shown at once, and with a way back for those that moved and that nobody else changed since. */
export async function moveTogether(asked: Asked, posts: readonly Planned[], days: number): Promise<void> {
  if (days === 0) return
  const walls = posts.map(({ day, minutes }) => wallOf(addDays(day, days)) + minutes * 60_000)
  const lens = zoneLens(readersZone(), Math.min(...walls) - dayLength, Math.max(...walls) + dayLength)
  const targets = posts.map(({ id }, index) => ({ id, at: lens.moment(walls[index] ?? 0) }))
  const moved = await moveTo(asked, posts, targets)
  if (moved.length === 0) return
  const back = async () => {
    const before = posts.filter(({ id }) => moved.some((one) => one.id === id))
    const those = await moveTo(asked, moved, before, 'as one left it')
    if (those.length > 0) say(words.calendar.movedBack(those.length))
  }
  say(words.calendar.movedSeveral(moved.length), { action: { label: words.ui.undo, run: () => void back() } })
}

/** Gives those that moved. */
async function moveTo(asked: Asked, from: readonly Post[], to: readonly Post[], which: Which = 'as it is') {
  setMoments(asked, to)
  const items = to.map(({ id, at }) => ({ id, startDateTime: Math.floor(at / 1000) }))
  const changed = await shownAhead(showing, () => changeAll('move', items, { which }))
  setMoments(
    asked,
    from.filter(({ id }) => !changed.has(id)),
  )
  return to.filter(({ id }) => changed.has(id))
}

/** Gives posts to another campaign; back to the one that each was of. */
export async function giveTogether(posts: readonly Planned[], campaign: { id: string; name: string }): Promise<void> {
  const items = posts.filter(({ campaignId }) => campaignId !== campaign.id)
  const give = (those: readonly Planned[], campaignId: string, which?: Which) =>
    changeAll(
      'change-campaign',
      those.map(({ id }) => ({ id })),
      { campaignId, which },
    )
  const changed = await give(items, campaign.id)
  const given = items.filter(({ id }) => changed.has(id))
  if (given.length === 0) return
  const back = async () => {
    for (const before of new Set(given.map(({ campaignId }) => campaignId)))
      await give(
        given.filter(({ campaignId }) => campaignId === before),
        before,
        'as one left it',
      )
  }
  say(words.calendar.givenSeveral(given.length, campaign.name), {
    action: { label: words.ui.undo, run: () => void back() },
  })
}

export async function deleteTogether(posts: readonly Pick<Planned, 'id'>[]): Promise<void> {
  const { size: deleted } = await changeAll(
    'delete',
    posts.map(({ id }) => ({ id })),
  )
  if (deleted > 0) say(words.calendar.deletedSeveral(deleted))
}

/** A way back does not undo what somebody else did meanwhile. */
type Which = 'as it is' | 'as one left it'

/** Asks for all of them, when those before have been answered, and says what was refused. Gives those that were changed. */
async function changeAll(
  action: Changes['action'],
  items: Changes['items'],
  { campaignId, which }: { campaignId?: string; which?: Which | undefined } = {},
): Promise<ReadonlySet<string>> {
  const refused = new Map<string, string>()
  const changed = new Set<string>()
  const ask = (some: Changes['items']) =>
    inTurn('POST /posts', () => {
      const known = some.map((item) => ({ ...item, ifMatch: lastTags.get(String(item.id)) ?? '' }))
      const sent = which === 'as one left it' ? known : some
      return call('POST /posts', { action, items: sent, ...(campaignId && { campaignId }) })
    })
  for (let from = 0; from < items.length; from += most) {
    const some = items.slice(from, from + most)
    try {
      for (const { Id, Problem, Tag } of (await ask(some)).Items) {
        if (Problem) {
          refused.set(Id, Problem)
          continue
        }
        changed.add(Id)
        lastTags.set(Id, Tag)
      }
    } catch (error) {
      for (const { id } of some) refused.set(String(id), told(error).sentence)
    }
  }
  readAgain(...showing)
  const [first] = refused.values()
  if (first) say(refused.size === 1 ? first : words.calendar.refusedSeveral(refused.size, first), { kind: 'problem' })
  return changed
}
