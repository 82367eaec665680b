import type { Capabilities } from '../limits.ts'
import type { NetworkApp } from '../network-app.ts'

/** Posts can be removed only through Facebook's login. */
export const instagramCapabilities = (app: NetworkApp) =>
  ({
    text: 'no',
    link: 'no',
    image: 'yes',
    multiImage: 'yes',
    video: 'yes',
    document: 'no',
    firstComment: 'yes',
    reply: 'yes',
    threadedReply: 'yes',
    replyMedia: 'no',
    directMessage: 'no',
    like: 'no',
    remove: app.options.login === 'facebook' ? 'yes' : 'no',
    audience: 'no',
    reshare: 'no',
    push: 'yes',
    postMetrics: 'yes',
    followers: 'yes',
  }) satisfies Capabilities
