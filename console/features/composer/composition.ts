import type { Network } from '#networks/manifests.ts'
import type { Body, Params } from '@/api/call.ts'
import { userTimeZone } from '@/i18n/format.ts'
import { type Day, dayLength, timeZoneClock, wallTimeOf } from '@/time/days.ts'
import { networks } from '@/ui/badges.tsx'

/** A profile to publish on, with its health. */
export type Profile = Body<'GET /credential-health'>['Items'][number] & { Network: Network }

const facts = [
  ...(['Id', 'Name', 'Type', 'MimeType', 'Size', 'Width', 'Height', 'DurationMs'] as const),
  ...(['FramesPerSecond', 'VideoCodec', 'AudioCodec', 'Pages', 'Frames', 'Description'] as const),
]
type Asset = Body<'GET /media'>['Items'][number]
/** A file with all fields that validation and previews need, so that they work offline. */
export type Attached = Pick<Asset, (typeof facts)[number]>

export const attachedOf = (asset: Asset) =>
  Object.fromEntries(facts.map((name) => [name, asset[name]])) as unknown as Attached

export const isImage = ({ Type }: Attached) => Type === 'Image' || Type === 'ImageUrl'
/** Thumbnail; videos and documents have none. */
export const pictureOf = (file: Attached) =>
  isImage(file) ? `/app/api/media/${encodeURIComponent(file.Id)}/preview` : undefined

/** Custom link card instead of the page's own metadata; either all fields or none. */
export interface Card {
  url: string
  title: string
  description: string
  imageUrl: string
}

/** Overrides for one network; other fields are inherited. */
export interface Version {
  text?: string
  media?: readonly Attached[]
}

/** Stored with its name, so that it can be shown whatever the search field returns. */
export interface Tag {
  id: string
  name: string
}

/** Content of the composer as stored in drafts. */
export interface Composition {
  profiles: readonly string[]
  text: string
  media: readonly Attached[]
  own: { readonly [network in Network]?: Version }
  title: string
  comment: string
  presetId: string
  card: Card | null
  campaignId: string
  tags: readonly Tag[]
  when: 'now' | 'at' | 'queue'
  day: Day | ''
  time: string
}

export type Change = (changes: Partial<Composition>) => void

/** How it is submitted: publish, save as draft, or send for approval. */
export interface Intent {
  isDraft?: boolean
  workflowId?: string
}

export const emptyComposition = (day: Day, time: string, campaignId: string): Composition => ({
  profiles: [],
  text: '',
  media: [],
  own: {},
  title: '',
  comment: '',
  presetId: '',
  card: null,
  tags: [],
  campaignId,
  when: 'at',
  day,
  time,
})

/** Nothing worth keeping. */
export const isEmpty = ({ text, media, own, comment, title }: Composition) =>
  `${text}${comment}${title}`.trim() === '' && media.length === 0 && Object.keys(own).length === 0

/** Title of the draft in lists. */
export const nameOf = ({ text, own }: Composition) =>
  [text, ...Object.values(own).map((version) => version.text ?? '')]
    .find((line) => line.trim())
    ?.trim()
    .slice(0, 80) ?? ''

export const textOn = ({ text, own }: Composition, network: Network) => own[network]?.text ?? text
export const mediaOn = ({ media, own }: Composition, network: Network) => own[network]?.media ?? media
/** Sets text or files for one network, or for all. */
export function withVersion(composition: Composition, at: Network | 'all', changes: Version): Partial<Composition> {
  if (at === 'all') return changes as Partial<Composition>
  return { own: { ...composition.own, [at]: { ...composition.own[at], ...changes } } }
}

export function sameAsAll({ own }: Composition, network: Network): Partial<Composition> {
  const { [network]: _gone, ...rest } = own
  return { own: rest }
}

/** The networks of the chosen profiles, in display order. */
export const networksOf = (profiles: readonly Profile[], chosen: readonly string[]): Network[] =>
  networks.filter((network) => profiles.some(({ Id, Network }) => Network === network && chosen.includes(Id)))

/** Timestamp of day and time in the user's time zone. A time skipped by a daylight saving change becomes the moment right after it. */
export function momentAt({ day, time }: Pick<Composition, 'day' | 'time'>) {
  if (!day || !time) return undefined
  const wallTime = wallTimeOf(day) + (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) * 60_000
  const clock = timeZoneClock(userTimeZone(), wallTime - 2 * dayLength, wallTime + 2 * dayLength)
  const moment = clock.moment(wallTime)
  const actual = clock.wall(moment)
  return { moment, isSkipped: actual !== wallTime, real: new Date(actual).toISOString().slice(11, 16) }
}

/** Day and time of a timestamp in the user's time zone. */
export function clockAt(moment: number): Pick<Composition, 'day' | 'time'> {
  const wallTime = timeZoneClock(userTimeZone(), moment - dayLength, moment + dayLength).wall(moment)
  const text = new Date(wallTime).toISOString()
  return { day: text.slice(0, 10), time: text.slice(11, 16) }
}

/** Status and time to submit; a draft status keeps the post from being published. */
export function timesOf(
  composition: Composition,
  isDraft: boolean,
): Pick<Params<'POST /compose'>, 'status' | 'startDateTime'> {
  const { when } = composition
  if (when === 'queue') return { status: isDraft ? 'inqueue-draft' : 'inqueue' }
  const at = when === 'at' ? momentAt(composition)?.moment : undefined
  return {
    status: isDraft ? 'draft' : 'pending',
    ...(at !== undefined && { startDateTime: Math.floor(at / 1000) }),
  }
}

/** The distinct texts, each with the networks that use it. */
export function textGroups(composition: Composition, networks: readonly Network[]): [string, Network[]][] {
  const groups = new Map<string, Network[]>()
  for (const network of networks) {
    const text = textOn(composition, network)
    groups.set(text, [...(groups.get(text) ?? []), network])
  }
  return [...groups]
}
