import { addDays, wallOf } from '../../../../time/days.ts'
import { dayLength, zoneLens } from '../../../../time/zone-lens.ts'
import { say } from '../../../../ui/layers/toasts.tsx'
import { call, type Sent } from '../../../../wire/call.ts'
import { readAgain, shownAhead, told } from '../../../../wire/queries.ts'
import { readersZone } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import type { Planned } from '../plan.ts'
import { type Asked, setMoments, showing } from './moving.ts'

type Changes = Sent<'POST /posts'>
type Post = Pick<Planned, 'id' | 'at'>

/** So many at a time. */
const most = 100

/** Moves posts by whole days, each at its own time of the day: shown at once, and with a way back for those that moved. */
export async function moveTogether(asked: Asked, posts: readonly Planned[], days: number): Promise<void> {
  if (days === 0) return
  const walls = posts.map(({ day, minutes }) => wallOf(addDays(day, days)) + minutes * 60_000)
  const lens = zoneLens(readersZone(), Math.min(...walls) - dayLength, Math.max(...walls) + dayLength)
  const targets = posts.map(({ id }, index) => ({ id, at: lens.moment(walls[index] ?? 0) }))
  const moved = await moveTo(asked, posts, targets)
  if (moved.length === 0) return
  const back = () => {
    const [now, before] = [moved, posts.filter(({ id }) => moved.some((one) => one.id === id))]
    void moveTo(asked, now, before).then((those) => those.length > 0 && say(words.calendar.movedBack(those.length)))
  }
  say(words.calendar.movedSeveral(moved.length), { action: { label: words.ui.undo, run: back } })
}

/** Gives those that moved. */
async function moveTo(asked: Asked, from: readonly Post[], to: readonly Post[]): Promise<readonly Post[]> {
  setMoments(asked, to)
  const items = to.map(({ id, at }) => ({ id, startDateTime: Math.floor(at / 1000) }))
  const refused = await shownAhead(showing, () => changeAll('move', items))
  setMoments(
    asked,
    from.filter(({ id }) => refused.has(id)),
  )
  return to.filter(({ id }) => !refused.has(id))
}

/** Gives posts to another campaign; back to the one that each was of. */
export async function giveTogether(posts: readonly Planned[], campaign: { id: string; name: string }): Promise<void> {
  const items = posts.filter(({ campaignId }) => campaignId !== campaign.id)
  const give = (those: readonly Planned[], campaignId: string) =>
    changeAll(
      'change-campaign',
      those.map(({ id }) => ({ id })),
      campaignId,
    )
  const refused = await give(items, campaign.id)
  const given = items.filter(({ id }) => !refused.has(id))
  if (given.length === 0) return
  const back = async () => {
    for (const before of new Set(given.map(({ campaignId }) => campaignId)))
      await give(
        given.filter(({ campaignId }) => campaignId === before),
        before,
      )
  }
  say(words.calendar.givenSeveral(given.length, campaign.name), {
    action: { label: words.ui.undo, run: () => void back() },
  })
}

export async function deleteTogether(posts: readonly Pick<Planned, 'id'>[]): Promise<void> {
  const refused = await changeAll(
    'delete',
    posts.map(({ id }) => ({ id })),
  )
  if (posts.length > refused.size) say(words.calendar.deletedSeveral(posts.length - refused.size))
}

/** Asks for all of them, and says what was refused. Gives the reasons by their ids. */
async function changeAll(
  action: Changes['action'],
  items: Changes['items'],
  campaignId?: string,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>()
  for (let from = 0; from < items.length; from += most) {
    const some = items.slice(from, from + most)
    try {
      const { Items } = await call('POST /posts', { action, items: some, ...(campaignId && { campaignId }) })
      for (const { Id, Problem } of Items) if (Problem) refused.set(Id, Problem)
    } catch (error) {
      for (const { id } of some) refused.set(String(id), told(error).sentence)
    }
  }
  readAgain(...showing)
  const [first] = refused.values()
  if (first) say(refused.size === 1 ? first : words.calendar.refusedSeveral(refused.size, first), { kind: 'problem' })
  return refused
}
