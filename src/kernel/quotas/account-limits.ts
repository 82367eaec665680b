/** What an account may have at most of each kind: the number, what they are called, and what to do when it is reached. */
const limits = {
  users: [5_000, 'users', 'Delete users who have left'],
  apiKeys: [2_000, 'API keys', 'Revoke keys that nobody uses'],
  savedViews: [20_000, 'saved views', 'Delete views that nobody uses'],
  teams: [2_000, 'teams', 'Delete teams that nobody needs'],
  profiles: [2_000, 'social profiles', 'Delete profiles that nobody uses'],
  advocateProfiles: [200_000, 'profiles of advocates', 'Remove profiles that nobody uses'],
  targetingPresets: [5_000, 'targeting presets', 'Delete presets that nobody uses'],
  queueSlots: [50_000, 'queue slots', 'Give profiles fewer times'],
  media: [100_000, 'media assets', 'Delete assets that nothing uses'],
  folders: [20_000, 'media folders', 'Delete folders that nobody needs'],
  uploads: [1_000, 'uploads under way', 'Wait until some of them are done'],
  tags: [10_000, 'tags', 'Delete tags that nothing uses'],
  campaigns: [20_000, 'campaigns', 'Delete campaigns that are over'],
  messages: [100_000, 'messages', 'Delete messages that nobody needs'],
  posts: [50_000, 'posts that were not sent', 'Delete some of them, or wait until they are sent'],
  customEvents: [20_000, 'calendar events', 'Delete events that are over'],
  workflows: [1_000, 'workflows in use', 'Put workflows out of use that nobody needs'],
  boards: [1_000, 'boards', 'Archived boards count as well; use one of them'],
  topics: [20_000, 'topics', 'Delete topics that no story has'],
  stories: [200_000, 'stories', 'Delete stories that are over'],
  advocates: [200_000, 'places on boards', 'Remove advocates who have left'],
  shares: [200_000, 'shares that were not sent', 'Wait until some of them are sent'],
  inboxReplies: [20_000, 'replies that were not sent', 'Wait until some of them are sent'],
  conversationTags: [10_000, 'tags of conversations', 'Delete tags that nobody needs'],
  cannedResponses: [10_000, 'canned responses', 'Delete responses that nobody uses'],
  inboxViews: [10_000, 'views of the inbox', 'Delete views that nobody uses'],
  integrations: [200, 'integrations', 'Delete integrations that nobody uses'],
  streamTabs: [200, 'stream tabs', 'Delete tabs that nobody looks at'],
  streams: [1_000, 'streams', 'Delete streams that nobody looks at'],
  dashboards: [2_000, 'dashboards', 'Delete dashboards that nobody looks at'],
  notes: [200_000, 'notes', 'Notes are kept'],
  exports: [200, 'exports', 'Delete exports that nobody needs'],
  links: [1_000_000, 'short links', 'Links are kept'],
  cnames: [200, 'custom domains', 'Remove domains that nobody uses'],
  conversionTags: [1_000, 'conversion tags', 'Delete tags that nothing was counted for'],
  webhooks: [1_000, 'webhooks', 'Delete webhooks that nobody listens to'],
  drafts: [20_000, 'drafts of what people write', 'Delete drafts that nobody needs'],
} as const satisfies Record<string, readonly [standard: number, things: string, remedy: string]>

export type LimitedKind = keyof typeof limits
export type AccountLimits = { readonly [kind in LimitedKind]: number }

export const limitedKinds = Object.keys(limits) as LimitedKind[]

export const standardLimits = Object.fromEntries(
  limitedKinds.map((kind) => [kind, limits[kind][0]]),
) as unknown as AccountLimits

/** How the kind is called in a sentence. */
export const thingsOf = (kind: LimitedKind): string => limits[kind][1]

/** What a person reads who wants one more. */
export function fullSentence(kind: LimitedKind, limit: number): string {
  const [, things, remedy] = limits[kind]
  const setting = `${kind} in CHORUS_ACCOUNT_LIMITS`
  return `An account can have ${limit} ${things}, and this one has them. ${remedy}, or ask the operator to raise ${setting}.`
}

const largest = 1_000_000_000

/** `tags=10000,webhooks=200`: what is not named keeps its usual limit. */
export function readAccountLimits(text: string): AccountLimits {
  const given: { [kind: string]: number } = { ...standardLimits }
  for (const entry of text.split(',').filter((one) => one.trim() !== '')) {
    const [kind = '', number = ''] = entry.split('=').map((part) => part.trim())
    if (!Object.hasOwn(limits, kind)) throw new Error(`names "${kind}"; it can name ${limitedKinds.join(', ')}`)
    if (!/^\d{1,10}$/.test(number) || Number(number) > largest)
      throw new Error(`must give ${kind} a whole number from 0 to ${largest}`)
    given[kind] = Number(number)
  }
  return given as AccountLimits
}
