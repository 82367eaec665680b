import type { Capabilities, Feature } from '#networks/content/content.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'

/** Kinds of content, in the order in which they are tried; the first that works carries the comments. */
export const contentKinds = ['text', 'link', 'image', 'images', 'video', 'document'] as const
export type ContentKind = (typeof contentKinds)[number]

/** Checks around a published post, and of the profile. */
const otherChecks = ['profile', 'comment', 'comments', 'reply', 'like', 'metrics', 'stream', 'inbox', 'renew'] as const
type OtherCheck = (typeof otherChecks)[number]

export type Check = ContentKind | OtherCheck
export const checks: readonly Check[] = [...contentKinds, ...otherChecks]

export const isContent = (check: Check): check is ContentKind => contentKinds.includes(check as ContentKind)

const featureOf: { readonly [check in Check]?: Feature } = {
  text: 'text',
  link: 'link',
  image: 'image',
  images: 'multiImage',
  video: 'video',
  document: 'document',
  comment: 'firstComment',
  // Who may comment may read comments; a gate on replies can be about answering others only.
  comments: 'firstComment',
  reply: 'threadedReply',
  like: 'like',
  metrics: 'postMetrics',
  profile: 'followers',
  inbox: 'firstComment',
}

/** What is done with the profile, and what is left out for which reason. */
export interface Plan {
  run: Check[]
  left: { check: Check; why: string }[]
}

const needPost: readonly Check[] = ['comment', 'comments', 'reply', 'like', 'metrics', 'stream']
const needComment: readonly Check[] = ['comments', 'reply']

/** Everything the profile can do, or only what is named; gated features are tried only if they are named. */
export function planFor(network: Network, capabilities: Capabilities, only?: readonly Check[]): Plan {
  const named = only && withNeeds(network, capabilities, only)
  const plan: Plan = { run: [], left: [] }
  for (const check of ['profile', ...checks.filter((one) => one !== 'profile')] as const) {
    if (named && !named.includes(check)) continue
    const why = obstacle(network, capabilities, check, named)
    if (why === undefined) plan.run.push(check)
    else plan.left.push({ check, why })
  }
  return plan
}

function obstacle(
  network: Network,
  capabilities: Capabilities,
  check: Check,
  named: readonly Check[] | undefined,
): string | undefined {
  const { name, streams, login, likes } = manifestOf(network)
  if (check === 'stream' && !streams) return `${name} has no streams`
  if (check === 'renew' && !login.refreshes) return `${name} renews no tokens`
  if (check === 'renew' && !named) return 'only with --only=renew: it can end the token that is in use'
  if (check === 'like' && likes.length === 0) return `${name} has no likes for apps`
  const capability = featureOf[check] && capabilities[featureOf[check]]
  if (capability === 'no') return `${name} cannot do this`
  return typeof capability === 'object' && !named?.includes(check) ? capability.gated : undefined
}

/** A comment needs a post, and a reply a comment. */
function withNeeds(network: Network, capabilities: Capabilities, only: readonly Check[]): Check[] {
  const can = (check: Check) => !featureOf[check] || capabilities[featureOf[check]] !== 'no'
  const wanted = new Set(only)
  const possible = only.filter(can)
  const likesComments = possible.includes('like') && !manifestOf(network).likes.includes('post')
  if (possible.some((check) => needComment.includes(check)) || likesComments) wanted.add('comment')
  const needsPost = [...wanted].some((check) => needPost.includes(check) && can(check))
  const simplest = contentKinds.find((kind) => capabilities[featureOf[kind] as Feature] === 'yes')
  if (needsPost && ![...wanted].some(isContent) && simplest) wanted.add(simplest)
  return [...wanted]
}

/** Reads `--only=text,image`. */
export function readChecks(text: string): Check[] {
  const named = text.split(',').map((part) => part.trim())
  const stray = named.find((name) => !checks.includes(name as Check))
  if (stray !== undefined) throw new Error(`--only names "${stray}"; use any of ${checks.join(', ')}.`)
  return named as Check[]
}
