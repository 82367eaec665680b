import type { Capabilities } from '../limits.ts'

const open = {
  text: 'yes',
  link: 'yes',
  image: 'yes',
  multiImage: 'yes',
  video: 'yes',
  document: 'no',
  firstComment: 'yes',
  reply: 'yes',
  // Every answer is a post that answers a post: there are no levels.
  threadedReply: 'no',
  replyMedia: 'yes',
  directMessage: 'yes',
  like: 'yes',
  remove: 'yes',
  audience: 'no',
  reshare: 'no',
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
} as const satisfies Capabilities

/** Since 2026 X forbids some of it to apps without an enterprise contract. */
const byTier: { readonly [tier: string]: Capabilities } = {
  'self-serve': {
    ...open,
    reply: { gated: 'X lets this app answer only people who mentioned or quoted the account first.' },
    like: { gated: 'X allows likes only to apps with an enterprise contract.' },
  },
}

export const capabilitiesFor = (tier: string): Capabilities => byTier[tier] ?? open
