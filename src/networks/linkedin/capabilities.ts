import type { Capabilities } from '../limits.ts'

const everyone = {
  text: 'yes',
  link: 'yes',
  image: 'yes',
  multiImage: 'yes',
  video: 'yes',
  document: 'yes',
  firstComment: 'yes',
  reply: 'yes',
  threadedReply: 'yes',
  replyMedia: 'yes',
  directMessage: { gated: 'LinkedIn opens messages to approved partners only.' },
  like: 'yes',
  remove: 'yes',
  reshare: 'yes',
} as const

export const pageCapabilities = {
  ...everyone,
  audience: 'yes',
  push: {
    gated: 'LinkedIn tells of comments at once only to apps with an approved use case; they are fetched anyway.',
  },
  postMetrics: 'yes',
  followers: 'yes',
} satisfies Capabilities

export const memberCapabilities = {
  ...everyone,
  audience: 'no',
  push: 'no',
  postMetrics: { gated: 'LinkedIn shows the numbers of members only to apps with the right r_member_postAnalytics.' },
  followers: {
    gated: 'LinkedIn shows the followers of members only to apps with the right r_member_profileAnalytics.',
  },
} satisfies Capabilities
