import type { Context } from '#kernel/context.ts'

const owner = '00Ademo00000001'
const day = 24 * 60 * 60 * 1000

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

type Network = 'LinkedIn' | 'Twitter' | 'Facebook' | 'Instagram' | 'YouTube'

/** Five per campaign, each as its network likes it. */
const forms: [network: Network, ending: string, media: string, subject: string][] = [
  ['LinkedIn', '\n\nHow do you prepare? Tell us below.', '', ''],
  ['Twitter', ' #outdoor', '', ''],
  ['Facebook', '\n\nSee you outside!', '026demo00000002', ''],
  ['Instagram', '\n\n#outdoor #northwind', '026demo00000001', ''],
  ['YouTube', '\n\nFilmed in one morning.', '026demo00000005', 'The range in motion'],
]

/** Tags, campaigns and messages, if there are none yet. */
export async function seedPublishing(context: Context) {
  const { db, accountId, now } = context
  const some = await db.selectFrom('campaigns').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const at = (days: number) => new Date(now.getTime() + days * day)
  const made = (days: number) => ({ accountId, created: at(days), modified: at(days), createdBy: owner })
  await db
    .insertInto('tags')
    .values(tags.map((tag, index) => ({ ...made(-90), id: `0AFdemo0000000${index + 1}`, tag, lastUsedDate: at(-3) })))
    .execute()
  for (const [index, [name, status, color, tag, text]] of campaigns.entries()) {
    const id = `002demo000000${String(index + 1).padStart(2, '0')}`
    const about = { ...made(index - 60), modifiedBy: owner }
    const dates = { startDate: at(index - 60), endDate: status === 'complete' ? at(index - 30) : null }
    await db
      .insertInto('campaigns')
      .values({ ...about, ...dates, id, name, status, color, totalMessages: forms.length })
      .execute()
    const messages = forms.map(([network, ending, media, subject], number) => ({
      ...{ ...about, id: `005demo00000${String(index * forms.length + number + 1).padStart(3, '0')}`, campaignId: id },
      ...{ network, subject, message: text + ending },
      type: media ? ('media-attachment' as const) : ('status-update' as const),
    }))
    await db.insertInto('messages').values(messages).execute()
    const attached = messages.flatMap(({ id: messageId }, number) => {
      const mediaId = forms[number]?.[2]
      return mediaId ? [{ accountId, messageId, position: 0, mediaId }] : []
    })
    await db.insertInto('messageMedia').values(attached).execute()
    const tagged = [id, ...messages.map((message) => message.id)]
    const tagId = `0AFdemo0000000${tag + 1}`
    await db
      .insertInto('tagged')
      .values(tagged.map((entityId) => ({ accountId, entityId, tagId })))
      .execute()
  }
}
