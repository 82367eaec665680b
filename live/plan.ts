import type { Capabilities, Feature } from '#networks/content/content.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'

/** Kinds of content in the order of publishing; comments are added to the first published post. */
export const contentKinds = ['text', 'link', 'image', 'images', 'video', 'document'] as const
export type ContentKind = (typeof contentKinds)[number]

/** Checks of a published post and of the profile. */
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
  // The permission to comment includes reading comments; a gate on replies can concern replies to others only.
  comments: 'firstComment',
  reply: 'threadedReply',
  like: 'like',
  metrics: 'postMetrics',
  profile: 'followers',
  inbox: 'firstComment',
}

/** The checks to run, and the skipped ones with their reasons. */
export interface Plan {
  run: Check[]
  left: { check: Check; why: string }[]
}

const needPost: readonly Check[] = ['comment', 'comments', 'reply', 'like', 'metrics', 'stream']
const needComment: readonly Check[] = ['comments', 'reply']

/** Plans all supported checks, or only the selected ones; gated features run only if selected. */
export function planFor(network: Network, capabilities: Capabilities, only?: readonly Check[]): Plan {
  const selected = only && withNeeds(network, capabilities, only)
  const plan: Plan = { run: [], left: [] }
  for (const check of ['profile', ...checks.filter((one) => one !== 'profile')] as const) {
    if (selected && !selected.includes(check)) continue
    const why = skipReason(network, capabilities, check, selected)
    if (why === undefined) plan.run.push(check)
    else plan.left.push({ check, why })
  }
  return plan
}

function skipReason(
  network: Network,
  capabilities: Capabilities,
  check: Check,
  selected: readonly Check[] | undefined,
): string | undefined {
  const { name, streams, login, likes } = manifestOf(network)
  if (check === 'stream' && !streams) return `${name} has no streams`
  if (check === 'renew' && !login.refreshes) return `${name} renews no tokens`
  if (check === 'renew' && !selected) return 'only with --only=renew: it can end the token that is in use'
  if (check === 'like' && likes.length === 0) return `${name} has no likes for apps`
  const capability = featureOf[check] && capabilities[featureOf[check]]
  if (capability === 'no') return `${name} cannot do this`
  return typeof capability === 'object' && !selected?.includes(check) ? capability.gated : undefined
}

/** Adds the checks that the selected ones depend on: a comment needs a post, and a reply needs a comment. */
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
  const selected = text.split(',').map((part) => part.trim())
  const unknown = selected.find((name) => !checks.includes(name as Check))
  if (unknown !== undefined) throw new Error(`--only names "${unknown}"; use any of ${checks.join(', ')}.`)
  return selected as Check[]
}
