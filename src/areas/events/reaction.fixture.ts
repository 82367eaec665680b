import { accountIds } from '#areas/account/declarations.ts'
import { publishingEvents } from '#areas/publishing/declarations.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { after, inside, on, type Reaction } from './reaction.ts'

/** The payload of a campaign event. */
interface Named {
  Name: string
}

/** Leaves a visible row: a team with this name. */
const leave = ({ db, accountId, now }: Context, name: string) =>
  db
    .insertInto('teams')
    .values({ accountId, id: newId(accountIds.team, now), created: now, modified: now, name })
    .execute()

const nameOf = ({ data }: Emitted<object>) => (data as Named).Name

/** Blocks a reaction until it is released. */
export function openBarrier() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Reactions to a new campaign; its name selects the outcome. */
export const planted = (barrier?: Promise<void>): readonly Reaction[] => [
  on(
    publishingEvents.newCampaign,
    inside(async (context, events) => {
      for (const event of events) await leave(context, `inside ${nameOf(event)}`)
    }),
  ),
  on(
    publishingEvents.newCampaign,
    after('tests.greet-campaign', async (context, event) => {
      const name = nameOf(event)
      await leave(context, `after ${name}`)
      if (name.startsWith('held')) await barrier
      if (name.startsWith('poison')) throw new Error(`${name} cannot be greeted.`)
    }),
  ),
  on(
    publishingEvents.newCampaign,
    inside(async (_context, events) => {
      if (events.some((event) => nameOf(event) === 'refused')) throw conflict('Campaigns are not called that.')
    }),
  ),
]
