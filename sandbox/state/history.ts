import { idFormats } from '../manifests.ts'
import { day, hour } from './clock.ts'
import { graphId, snowflake } from './ids.ts'
import { personOf } from './items.ts'
import type { Item, Network, Person, Profile } from './rows.ts'
import type { SandboxState } from './state.ts'

type PostSeed = readonly [hoursAgo: number, text: string]
type MentionSeed = readonly [hoursAgo: number, from: Person, text: string]

interface History {
  network: Network
  profile: string
  posts: readonly PostSeed[]
  lastInbound: readonly MentionSeed[]
}

const maya: Person = { id: '7000000000000101', name: 'Maya Lindqvist', username: 'mayaoutdoors' }
const tomas: Person = { id: '7000000000000102', name: 'Tomás Herrera', username: 'tomas_trail' }
const aiko: Person = { id: '7000000000000103', name: '佐藤 愛子', username: 'aiko_yama' }
const ben: Person = { id: '7000000000000104', name: 'Ben Achterberg', username: 'benclimbs' }

/** Posts and mentions of the default profiles in the last days. */
const histories: readonly History[] = [
  {
    network: 'Twitter',
    profile: '1500000000000000501',
    posts: [
      [76, 'New on the map: twelve huts that stay open all winter. Which one have you slept in?'],
      [51, 'Our repair van is in Leeds on Saturday. Bring your zips, your soles and your stories.'],
      [27, 'Trail running at dawn beats every alarm clock. Where do you start?'],
      [6, 'The field guide is out. Forty pages of knots, clouds and quiet places.'],
    ],
    lastInbound: [
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
    posts: [
      [80, 'We asked four guides what they never leave at home. Number three surprised us.'],
      [33, 'Open evening at the Bristol store: how to read a weather map, with Ada from our team.'],
      [8, 'One litre, one stove, one view. Tell us about your best breakfast outside.'],
    ],
    lastInbound: [
      [60, maya, 'Thank you, Northwind Outdoor, for mending my rucksack while I waited.'],
      [25, ben, 'Walked the whole coast path in boots from Northwind Outdoor. No blisters.'],
    ],
  },
  {
    network: 'Instagram',
    profile: '17841400000000501',
    posts: [
      [90, 'Above the clouds by seven. #northwind'],
      [40, 'Same lake, four seasons. Swipe for winter.'],
      [10, 'Packed light, slept well.'],
    ],
    lastInbound: [
      [55, aiko, '今週末の山小屋 @northwind.outdoor'],
      [14, tomas, 'Campfire coffee with @northwind.outdoor mugs'],
    ],
  },
  {
    network: 'LinkedIn',
    profile: '2414183',
    posts: [
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
    lastInbound: [],
  },
]

/** Seeds posts and mentions, oldest first. */
export function seedHistory(state: SandboxState) {
  for (const { network, profile: id, posts, lastInbound } of histories) {
    const profile = state.profile(network, id)
    if (!profile) continue
    const items = [...posts.map((one) => ownPost(profile, one)), ...lastInbound.map((one) => mention(profile, one))]
    const now = state.clock.now()
    for (const { hoursAgo, ...item } of items.sort((one, other) => other.hoursAgo - one.hoursAgo))
      state.items.put({ ...item, network, profile: id, media: [], at: now - hoursAgo * hour })
  }
  likeFirstMention(state)
}

type SeedItem = Omit<Item, 'network' | 'profile' | 'media' | 'at'> & { hoursAgo: number }

const ownPost = (profile: Profile, [hoursAgo, text]: PostSeed): SeedItem => ({
  ...newPostId(profile),
  kind: 'post',
  from: personOf(profile),
  own: true,
  text,
  hoursAgo,
})

const mention = ({ network }: Profile, [hoursAgo, from, text]: MentionSeed): SeedItem => ({
  id: idFormats[network].mention(from),
  kind: 'mention',
  from,
  own: false,
  text,
  hoursAgo,
})

function newPostId({ network, id }: Profile): Pick<Item, 'id' | 'alias'> {
  if (network === 'Facebook') return { id: `${id}_${graphId()}` }
  if (network === 'Instagram') return { id: graphId() }
  if (network === 'Twitter') return { id: snowflake() }
  return { id: `urn:li:share:${snowflake()}`, alias: `urn:li:activity:${snowflake()}` }
}

/** The account on X likes its first mention. */
function likeFirstMention(state: SandboxState) {
  const profile = state.profile('Twitter', '1500000000000000501')
  const liked = profile && state.items.ofProfile('Twitter', profile.id, 'mention')[0]
  if (!liked) return
  state.items.put({
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
