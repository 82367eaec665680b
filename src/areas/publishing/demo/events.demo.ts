import { clockFrom, daysFrom, demoId, owner } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'

const events: [title: string, description: string, first: number, last: number, campaign: number | undefined][] = [
  ['Outdoor fair', '<p>Hall 4, stand <b>B12</b>.</p>', -12, -9, undefined],
  ['Shooting at the coast', '<p>Two models, one van, whatever weather.</p>', 3, 4, 1],
  ['Summer meet-up', '<p>Tents go up on Friday at noon.</p>', 10, 12, 4],
  ['Stocktaking', '', 20, 20, undefined],
  ['Applications close', '<p>Answers within a week.</p>', 24, 24, 5],
]

export async function seedEvents(context: Context) {
  const { db, accountId } = context
  const [at, created] = [clockFrom(context), daysFrom(context)(-14)]
  const rows = events.map(([title, description, first, last], index) => ({
    accountId,
    id: demoId('0CE', index + 1),
    created,
    modified: created,
    createdBy: owner,
    title,
    description,
    startDateTime: at(first, 0),
    endDateTime: new Date(at(last + 1, 0).getTime() - 1000),
  }))
  const links = events.flatMap(([, , , , campaign], index) =>
    campaign ? [{ accountId, eventId: demoId('0CE', index + 1), campaignId: demoId('002', campaign) }] : [],
  )
  await db.insertInto('customEvents').values(rows).execute()
  await db.insertInto('customEventCampaigns').values(links).execute()
}
