import type { Capabilities } from '../limits.ts'

export const facebookCapabilities = {
  text: 'yes',
  link: 'yes',
  image: 'yes',
  multiImage: 'yes',
  video: 'yes',
  document: 'no',
  firstComment: 'yes',
  reply: 'yes',
  threadedReply: 'yes',
  replyMedia: 'yes',
  directMessage: 'yes',
  like: 'yes',
  remove: 'yes',
  audience: 'no',
  reshare: 'no',
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
} satisfies Capabilities
