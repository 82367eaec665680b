import type { Capabilities } from '../limits.ts'

export const youtubeCapabilities = {
  text: 'no',
  link: 'no',
  image: 'no',
  multiImage: 'no',
  video: 'yes',
  document: 'no',
  firstComment: 'yes',
  reply: 'yes',
  threadedReply: 'yes',
  replyMedia: 'no',
  directMessage: 'no',
  // Videos only: comments cannot be liked through the interface.
  like: 'yes',
  remove: 'yes',
  audience: 'no',
  reshare: 'no',
  // Uploads and their edits only; comments are asked for.
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
} as const satisfies Capabilities
