import { names } from '../manifests.ts'
import { day, hour } from './clock.ts'
import { graphId, snowflake } from './ids.ts'
import { personOf } from './items.ts'
import type { Item, Network, Person, Profile } from './rows.ts'
import type { World } from './state.ts'

/** Hours ago, and the words. */
type Said = readonly [hoursAgo: number, text: string]
type Heard = readonly [hoursAgo: number, from: Person, text: string]

interface History {
  network: Network
  profile: string
  said: readonly Said[]
  heard: readonly Heard[]
}

const maya: Person = { id: '7000000000000101', name: 'Maya Lindqvist', username: 'mayaoutdoors' }
const tomas: Person = { id: '7000000000000102', name: 'Tomás Herrera', username: 'tomas_trail' }
const aiko: Person = { id: '7000000000000103', name: '佐藤 愛子', username: 'aiko_yama' }
const ben: Person = { id: '7000000000000104', name: 'Ben Achterberg', username: 'benclimbs' }

/** What the first profiles posted in the days before, and who spoke of them. */
const histories: readonly History[] = [
  {
    network: 'Twitter',
    profile: '1500000000000000501',
    said: [
      [76, 'New on the map: twelve huts that stay open all winter. Which one have you slept in?'],
      [51, 'Our repair van is in Leeds on Saturday. Bring your zips, your soles and your stories.'],
      [27, 'Trail running at dawn beats every alarm clock. Where do you start?'],
      [6, 'The field guide is out. Forty pages of knots, clouds and quiet places.'],
    ],
    heard: [
      [70, tomas, 'Third winter in the same @northwindoutdoor jacket. Still dry.'],
      [48, maya, '@northwindoutdoor will the repair van come to Gothenburg as well?'],
      [30, ben, 'Trail running question for @northwindoutdoor: do the new shoes run small?'],
      [20, aiko, '@northwindoutdoor の新しいテント、富士山で試しました。軽い！'],
      [3, tomas, 'Read the @northwindoutdoor field guide on the train. Missed my stop.'],
    ],
  },
  {
    network: 'Facebook',
    profile: '100200300400501',
    said: [
      [80, 'We asked four guides what they never leave at home. Number three surprised us.'],
      [33, 'Open evening at the Bristol store: how to read a weather map, with Ada from our team.'],
      [8, 'One litre, one stove, one view. Tell us about your best breakfast outside.'],
    ],
    heard: [
      [60, maya, 'Thank you, Northwind Outdoor, for mending my rucksack while I waited.'],
      [25, ben, 'Walked the whole coast path in boots from Northwind Outdoor. No blisters.'],
    ],
  },
  {
    network: 'Instagram',
    profile: '17841400000000501',
    said: [
      [90, 'Above the clouds by seven. #northwind'],
      [40, 'Same lake, four seasons. Swipe for winter.'],
      [10, 'Packed light, slept well.'],
    ],
    heard: [
      [55, aiko, '今週末の山小屋 @northwind.outdoor'],
      [14, tomas, 'Campfire coffee with @northwind.outdoor mugs'],
    ],
  },
  {
    network: 'LinkedIn',
    profile: '2414183',
    said: [
      [
        100,
        'How a jacket is made to be repaired: our workshop shows what happens between the first cut and the last seam.',
      ],
      [
        52,
        'We are looking for people who would rather mend than throw away. Three places in the repair workshop are open.',
      ],
      [12, 'A year of repairs in numbers: 8,400 zips, 3,100 soles, and one wedding dress.'],
    ],
    heard: [],
  },
]

/** Fills a new world with what happened before it began, the oldest first. */
export function tellHistory(world: World) {
  for (const { network, profile: id, said, heard } of histories) {
    const profile = world.profile(network, id)
    if (!profile) continue
    const items = [...said.map((one) => ownPost(profile, one)), ...heard.map((one) => mention(profile, one))]
    const now = world.clock.now()
    for (const { hoursAgo, ...item } of items.sort((one, other) => other.hoursAgo - one.hoursAgo))
      world.items.put({ ...item, network, profile: id, media: [], at: now - hoursAgo * hour })
  }
  likeOne(world)
}

type Told = Omit<Item, 'network' | 'profile' | 'media' | 'at'> & { hoursAgo: number }

const ownPost = (profile: Profile, [hoursAgo, text]: Said): Told => ({
  ...nameOf(profile),
  kind: 'post',
  from: personOf(profile),
  own: true,
  text,
  hoursAgo,
})

const mention = ({ network }: Profile, [hoursAgo, from, text]: Heard): Told => ({
  id: names[network].mention(from),
  kind: 'mention',
  from,
  own: false,
  text,
  hoursAgo,
})

function nameOf({ network, id }: Profile): Pick<Item, 'id' | 'alias'> {
  if (network === 'Facebook') return { id: `${id}_${graphId()}` }
  if (network === 'Instagram') return { id: graphId() }
  if (network === 'Twitter') return { id: snowflake() }
  return { id: `urn:li:share:${snowflake()}`, alias: `urn:li:activity:${snowflake()}` }
}

/** The account on X likes the first thing that was said about it. */
function likeOne(world: World) {
  const profile = world.profile('Twitter', '1500000000000000501')
  const liked = profile && world.items.ofProfile('Twitter', profile.id, 'mention')[0]
  if (!liked) return
  world.items.put({
    network: 'Twitter',
    profile: profile.id,
    id: `like-${snowflake()}`,
    kind: 'like',
    own: true,
    from: personOf(profile),
    postId: liked.id,
    parentId: liked.id,
    text: '',
    media: [],
    at: liked.at + day,
  })
}
