import { daysFrom, demoId, owner } from '#areas/account/account.demo.ts'
import { incrementCounters } from '#areas/counters/increments.ts'
import type { Context } from '#kernel/context.ts'
import { derivedColumns } from '../message/message-content.ts'

const tags = ['Product', 'People', 'Event', 'Evergreen']

type Status = 'active' | 'complete' | 'paused' | 'archived'

const campaigns: [name: string, status: Status, color: string, tag: number, text: string][] = [
  ['Spring range', 'active', '#2456D6', 0, 'The spring range is here: lighter packs for longer days.'],
  ['Trail stories', 'active', '#0F766E', 1, 'Every trail has a story. This week Noor walks the coast path.'],
  [
    'Repair, do not replace',
    'active',
    '#4D7C0F',
    3,
    'A torn strap is no reason for a new pack. Our workshop mends it.',
  ],
  ['Summer meet-up', 'active', '#C2410C', 2, 'One weekend, forty tents, no signal: join the summer meet-up.'],
  ['We are hiring', 'active', '#9333EA', 1, 'We look for people who would rather test a tent than talk about it.'],
  ['Field tests', 'active', '#0369A1', 0, 'Nine nights, two storms, one tent. The field test in numbers.'],
  ['Leave no trace', 'active', '#A16207', 3, 'What you carry in, you carry out. Seven habits for clean camps.'],
  ['Winter clearance', 'paused', '#BE185D', 0, 'The last of the winter range leaves the shelves.'],
  ['Partner spotlight', 'paused', '#4338CA', 1, 'Meet the mill that weaves our canvas since 1921.'],
  ['Autumn launch', 'complete', '#B91C1C', 0, 'Autumn, but dry: the new shells have arrived.'],
  ['Book of maps', 'complete', '#0F766E', 3, 'Forty walks on paper, none of them needs a battery.'],
  ['Anniversary', 'archived', '#2456D6', 2, 'Thirty years outdoors. Thank you for walking with us.'],
]

export type DemoNetwork = 'LinkedIn' | 'Twitter' | 'Facebook' | 'Instagram' | 'YouTube'

/** Five per campaign, in the style of each network; % is replaced with the URL of the campaign's page where links are clickable. */
const forms: [network: DemoNetwork, ending: string, media: string, subject: string][] = [
  ['LinkedIn', ' %\n\nHow do you prepare? Tell us below.', '', ''],
  ['Twitter', ' % #outdoor', '', ''],
  ['Facebook', ' %\n\nSee you outside!', '026demo00000002', ''],
  ['Instagram', '\n\n#outdoor #northwind', '026demo00000001', ''],
  ['YouTube', '\n\nFilmed in one morning.', '026demo00000005', 'The range in motion'],
]

export interface DemoMessage {
  id: string
  network: DemoNetwork
  /** Empty if it has none. */
  mediaId: string
}

export interface DemoCampaign {
  id: string
  status: Status
  messages: DemoMessage[]
}

/** Creates tags, campaigns and messages; returns the input for the demo posts. */
export async function seedCampaigns(context: Context): Promise<DemoCampaign[]> {
  const { db, accountId } = context
  const at = daysFrom(context)
  const made = (days: number) => ({ accountId, created: at(days), modified: at(days), createdBy: owner })
  const tagIds = tags.map((_, index) => demoId('0AF', index + 1))
  const seeded = campaigns.map(([, status], index) => ({
    id: demoId('002', index + 1),
    status,
    messages: forms.map(([network, , mediaId], number) => {
      return { id: demoId('005', index * forms.length + number + 1), network, mediaId }
    }),
  }))
  const tagRows = tags.map((tag, index) => ({ ...made(-90), id: demoId('0AF', index + 1), tag, lastUsedDate: at(-3) }))
  const campaignRows = campaigns.map(([name, status, color], index) => {
    const endDate = status === 'complete' ? at(index - 30) : null
    const dates = { startDate: at(index - 95), endDate }
    return { ...made(index - 95), modifiedBy: owner, ...dates, id: demoId('002', index + 1), name, status, color }
  })
  const messageRows = campaigns.flatMap(([name, , , , text], index) =>
    forms.map(([network, ending, media, subject], number) => {
      const message = text + ending.replace('%', pageOf(name))
      return {
        ...made(index - 95),
        modifiedBy: owner,
        id: demoId('005', index * forms.length + number + 1),
        campaignId: demoId('002', index + 1),
        network,
        subject,
        message,
        ...derivedColumns({ network, message }),
        type: media ? ('media-attachment' as const) : ('status-update' as const),
      }
    }),
  )
  const messages = seeded.flatMap((campaign) => campaign.messages)
  const attached = messages.filter(({ mediaId }) => mediaId !== '')
  const tagged = seeded.flatMap(({ id, messages }, index) => {
    const tagId = tagIds[campaigns[index]?.[3] ?? 0] ?? ''
    return [id, ...messages.map((message) => message.id)].map((entityId) => ({ accountId, entityId, tagId }))
  })

  await db.insertInto('tags').values(tagRows).execute()
  await db.insertInto('campaigns').values(campaignRows).execute()
  await incrementCounters(
    context,
    seeded.map(({ id: campaign }) => ({
      name: 'messages' as const,
      at: context.now,
      of: { campaign },
      amount: forms.length,
    })),
  )
  await db.insertInto('messages').values(messageRows).execute()
  await db
    .insertInto('messageMedia')
    .values(attached.map(({ id: messageId, mediaId }) => ({ accountId, messageId, position: 0, mediaId })))
    .execute()
  await db.insertInto('entityTags').values(tagged).execute()
  return seeded
}

const pageOf = (campaign: string) => `https://example.com/northwind/${campaign.toLowerCase().replace(/\W+/g, '-')}`
