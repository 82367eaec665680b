import { networkManifest } from '../connector/manifest.ts'
import type { Capabilities, Feature } from '../content/content.ts'
import { type PermissionGate, postFeatures, withPermissions } from '../content/gates.ts'

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

const gate = (scope: string, task: string, what: string, features: readonly Feature[]): PermissionGate => ({
  anyOf: [scope],
  features,
  gated: `The person who connected this Page can't ${what}. Reconnect it as someone with the ${task} task on the Page, and allow ${scope}.`,
})

const gates = [
  gate('pages_manage_posts', 'CREATE_CONTENT', 'publish on it', [...postFeatures, 'remove']),
  gate('pages_manage_engagement', 'MODERATE', 'comment on it', [
    'firstComment',
    'reply',
    'threadedReply',
    'replyMedia',
    'like',
  ]),
  gate('pages_messaging', 'MESSAGING', 'answer its messages', ['directMessage']),
  gate('read_insights', 'ANALYZE', 'see its numbers', ['postMetrics']),
]

/** Facebook Pages. All limits are from secondary sources: Meta documents few of them. */
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
    // A page token is valid as long as the login and can't be refreshed.
    refreshes: false,
  },
  push: {
    signature: 'x-hub-signature-256',
    activities: 'comments',
    registration: 'automatic',
    challenge: 'verify-token',
  },
  streams: { prefix: 'fb', own: 'ownpage', types: { ownpage: { title: 'Posts' }, tag: { title: 'Mentions' } } },
  likes: ['post', 'comment'],
  postMetrics: ['shares', 'impressions'],
  metricsBatchSize: 4,
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
  capabilitiesOf: ({ scopes }) => withPermissions(capabilities, scopes, gates),
})
