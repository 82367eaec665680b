import type { Capabilities } from '../limits.ts'

export const capabilities = {
  text: 'no',
  link: 'no',
  image: 'yes',
  multiImage: 'yes',
  video: 'yes',
  document: 'no',
  firstComment: 'yes',
  reply: 'yes',
  threadedReply: 'yes',
  replyMedia: 'yes',
  // TikTok has them, the contract does not offer them.
  directMessage: 'no',
  // Of comments, not of videos.
  like: 'yes',
  // Of comments only: a post can be taken down in the app alone.
  remove: 'no',
  audience: 'no',
  reshare: 'no',
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
} as const satisfies Capabilities
