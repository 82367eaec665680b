import { daysFrom, demoId, owner } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'
import type { Network } from '#networks/manifests.ts'
import { titleOf } from './stream/stream.ts'

interface DemoStream {
  network: Network
  /** The profile's id on its network. */
  asking: string
  type: string
  keyword?: string
}

const x = { network: 'Twitter', asking: '1500000000000000501' } as const
const facebook = { network: 'Facebook', asking: '100200300400501' } as const
const instagram = { network: 'Instagram', asking: '17841400000000501' } as const
const linkedin = { network: 'LinkedIn', asking: '2414183' } as const

const tabs: readonly { name: string; streams: readonly DemoStream[] }[] = [
  {
    name: 'What others say',
    streams: [
      { ...x, type: 'mention' },
      { ...facebook, type: 'tag' },
      { ...instagram, type: 'page.tags' },
      { ...x, type: 'keyword', keyword: 'trail running' },
    ],
  },
  {
    name: 'What we say',
    streams: [
      { ...linkedin, type: 'page' },
      { ...facebook, type: 'ownpage' },
      { ...x, type: 'feed' },
      { ...instagram, type: 'page' },
    ],
  },
]

/** Two tabs with four streams each, if there are none yet. Items are fetched when viewed. */
export async function seedStreams(context: Context) {
  const { db, accountId } = context
  const some = await db.selectFrom('streamTabs').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const created = daysFrom(context)(-20)
  const made = { accountId, created, modified: created, createdBy: owner }
  const tabIds = tabs.map((_, index) => demoId('018', index + 1))
  const tabRows = tabs.map(({ name }, index) => ({ ...made, id: tabIds[index] ?? '', name }))
  await db.insertInto('streamTabs').values(tabRows).execute()
  const profiles = await db
    .selectFrom('credentials')
    .select(['id', 'network', 'networkAccountId', 'displayName'])
    .where('accountId', '=', accountId)
    .where('deleted', 'is', null)
    .execute()
  const wanted = tabs.flatMap(({ streams }, tab) =>
    streams.map((stream, position) => ({ ...stream, position, streamTabId: tabIds[tab] ?? '' })),
  )
  const rows = wanted.flatMap(({ asking, network, type, keyword = '', ...place }, index) => {
    const profile = profiles.find((one) => one.network === network && one.networkAccountId === asking)
    if (!profile) return []
    const [id, feedId] = [demoId('00F', index + 1), demoId('0sf', index + 1)]
    const query = { credentialId: profile.id, network, type }
    const never = new Date(0)
    return {
      stream: {
        ...made,
        ...place,
        ...query,
        id,
        feedId,
        name: titleOf(network, { type, keyword }, profile.displayName),
      },
      feed: { accountId, id: feedId, created, ...query, keyword, lastViewed: never, notBefore: never },
    }
  })
  if (rows.length === 0) return
  await db
    .insertInto('streamFeeds')
    .values(rows.map(({ feed }) => feed))
    .execute()
  await db
    .insertInto('streams')
    .values(rows.map(({ stream }) => stream))
    .execute()
}
