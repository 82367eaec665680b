import { networkManifest } from '../connector/manifest.ts'
import type { Capabilities } from '../content/limits.ts'

const MB = 1_000_000

const capabilities: Capabilities = {
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
}

const lacks = (scopes: readonly string[], scope: string) => scopes.length > 0 && !scopes.includes(scope)

const gate = (what: string, scope: string, task: string) => ({
  gated: `The person who connected this page may not ${what}: connect it as somebody with the task ${task} on the page, and allow ${scope}.`,
})
const noPosts = gate('publish on it', 'pages_manage_posts', 'CREATE_CONTENT')
const noComments = gate('comment on it', 'pages_manage_engagement', 'MODERATE')
const noMessaging = gate('answer its messages', 'pages_messaging', 'MESSAGING')
const noInsights = gate('see its numbers', 'read_insights', 'ANALYZE')

/** Facebook Pages. All of the limits are second-hand: Meta publishes few of these numbers. */
export const manifest = networkManifest({
  network: 'Facebook',
  name: 'Facebook',
  code: 'facebook',
  number: 4,
  profileKinds: ['page'],
  profileUrl: ({ networkAccountId }) => `https://www.facebook.com/${networkAccountId}`,
  app: {
    apiVersion: 'v26.0',
    hosts: {
      graph: 'https://graph.facebook.com',
      login: 'https://www.facebook.com',
      upload: 'https://rupload.facebook.com',
    },
  },
  login: {
    scopes: [
      'pages_show_list',
      'pages_manage_posts',
      'pages_read_engagement',
      'pages_manage_engagement',
      'pages_read_user_content',
      'read_insights',
      'pages_messaging',
      'pages_manage_metadata',
      'business_management',
    ],
    // A page's token lives as long as the login, and has no other after it.
    renews: false,
  },
  push: { signature: 'x-hub-signature-256', tells: 'comments' },
  streams: { prefix: 'fb', own: 'ownpage', types: { ownpage: { title: 'Posts' }, tag: { title: 'Mentions' } } },
  likes: ['post', 'comment'],
  tells: ['shares', 'impressions'],
  metricsAtOnce: 4,
  sandbox: { clientId: '900000000000001' },

  limits: {
    text: { max: 63_206, unit: 'utf16' },
    comment: { max: 8000, unit: 'utf16' },
    message: { max: 2000, unit: 'utf16' },
    images: { max: 18, rule: { mimes: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 10 * MB } },
    videos: {
      max: 1,
      rule: {
        mimes: ['video/mp4', 'video/quicktime'],
        bytes: { max: 10_000 * MB },
        seconds: { min: 1, max: 14_400 },
        videoCodecs: ['h264'],
        audioCodecs: ['aac'],
      },
    },
    mixesMedia: false,
    needsMedia: false,
  },
  messageDays: 7,
  commentMedia: { images: { max: 1 }, videos: { max: 0 }, mixesMedia: false },
  capabilities,
  // Profiles that were connected before scopes were kept have none, and count as allowed.
  capabilitiesOf: ({ scopes }) => ({
    ...capabilities,
    ...(lacks(scopes, 'pages_manage_posts') && { text: noPosts, link: noPosts, image: noPosts, multiImage: noPosts }),
    ...(lacks(scopes, 'pages_manage_posts') && { video: noPosts, remove: noPosts }),
    ...(lacks(scopes, 'pages_manage_engagement') && {
      firstComment: noComments,
      reply: noComments,
      threadedReply: noComments,
      replyMedia: noComments,
      like: noComments,
    }),
    ...(lacks(scopes, 'pages_messaging') && { directMessage: noMessaging }),
    ...(lacks(scopes, 'read_insights') && { postMetrics: noInsights }),
  }),
})
