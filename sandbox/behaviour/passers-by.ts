import type { ItemKind, Network, Profile } from '../state/rows.ts'
import type { World } from '../state/world.ts'
import { type ActKind, act, Impossible } from './strangers.ts'

/** Somebody outside does something every so often, network by network and kind by kind, in eight languages. */
export function startPassersBy(world: World, everyMs: number): { stop(): void } {
  let turn = 0
  const timer = setInterval(() => {
    // What one network has no way for, the next one may.
    for (let tries = 0; tries < turns.length; tries++) if (passBy(world, turn++)) return
  }, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

const networks: readonly Network[] = ['Facebook', 'LinkedIn', 'Twitter', 'Instagram', 'YouTube', 'TikTok']
const kinds: readonly ActKind[] = ['comment', 'message', 'mention', 'reply', 'like']

/** Every network with every kind, so that neighbours differ in both. */
const turns = kinds.flatMap((_, shift) =>
  networks.map((network, at) => ({ network, kind: kinds[(at + shift) % kinds.length] as ActKind })),
)

/** Whether it was possible. */
function passBy(world: World, turn: number): boolean {
  const { network, kind } = turns[turn % turns.length] as (typeof turns)[number]
  const profile = world.profiles.all().find((one) => one.network === network && one.kind !== 'member')
  if (!profile) return false
  const from = people[turn % people.length] as (typeof people)[number]
  const { text, name } = from
  const person = { id: String(7_200_000_000_000_000 + (turn % people.length)), name, username: nameOf(name) }
  try {
    const parentId = kind === 'message' || kind === 'mention' ? undefined : targetOf(world, profile, kind)
    act(world, profile, { kind, from: person, text: kind === 'like' ? '' : text, parentId })
    return true
  } catch (error) {
    if (error instanceof Impossible) return false
    throw error
  }
}

/** The newest thing there is to comment on, or to answer; a post is made by hand where there is none. */
function targetOf(world: World, profile: Profile, kind: ActKind): string {
  const newest = (...of: ItemKind[]) => world.items.ofProfile(profile.network, profile.id, ...of).at(-1)?.id
  const said = kind === 'reply' || kind === 'like' ? newest('comment', 'reply') : undefined
  return said ?? newest('post') ?? act(world, profile, { kind: 'post', own: true, from: nobody, text: ownPost }).id
}

const nobody = { id: '0', name: '' }
const ownPost = 'Fresh snow on the pass this morning. Who is coming along?'

const nameOf = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')

const people = [
  { name: 'Harriet Quill', text: 'Does the blue tent come with a footprint, or is that sold separately?' },
  { name: 'Jonas Reuter', text: 'Mein Paket ist seit einer Woche unterwegs. Könnt ihr bitte nachsehen?' },
  { name: 'Camille Aubert', text: 'Superbe randonnée, merci pour l’idée ! Le refuge est-il ouvert en mai ?' },
  { name: 'Lucía Robles', text: '¿Hacen envíos a las islas Canarias? No lo encuentro en la página.' },
  { name: 'Davide Conti', text: 'Lo zaino è comodissimo, ma una cinghia si è staccata dopo due uscite.' },
  { name: '佐藤 美咲', text: 'このジャケットは洗濯機で洗えますか？' },
  { name: 'Marta Zielińska', text: 'Czy sklep w Krakowie jest otwarty w niedzielę?' },
  { name: 'Tiago Nunes', text: 'A loja do Porto já tem as botas novas? Queria experimentar antes de comprar.' },
  { name: 'Priya Nair', text: 'We took your map to the coast last week. It got every path right, thank you!' },
  { name: 'Lena Brandt', text: 'Gibt es die Jacke auch in Kindergrößen?' },
] as const
