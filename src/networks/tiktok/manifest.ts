import { networkManifest } from '../connector/manifest.ts'
import type { Capabilities } from '../content/content.ts'
import { isVideo } from '../content/content.ts'
import { type PermissionGate, withPermissions } from '../content/gates.ts'

/** For videos; photo posts allow longer texts. */
const [videoText, photoText] = [2200, 4000]

/** 1080p at most, in posts and comments: portal pages 1803630424390658 and 1856212334897154 (docs/networks/tiktok.md). */
const sides = { long: 1920, short: 1080 }

const capabilities: Capabilities = {
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
  // TikTok supports them, the contract doesn't.
  directMessage: 'no',
  like: 'yes',
  // Comments only: posts can be deleted in the TikTok app only.
  remove: 'no',
  audience: 'no',
  reshare: 'no',
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
}

/** Users can deselect permissions on the consent page. */
const gates: readonly PermissionGate[] = [
  {
    anyOf: ['video.publish'],
    features: ['image', 'multiImage', 'video'],
    gated: 'Publishing was not allowed when this account was connected. Reconnect it and allow video.publish.',
  },
  {
    anyOf: ['comment.list.manage'],
    features: ['firstComment', 'reply', 'threadedReply', 'replyMedia', 'like'],
    gated: 'Comments were not allowed when this account was connected. Reconnect it and allow comment.list.manage.',
  },
]

/** TikTok's business API: the other one has no comments. */
export const manifest = networkManifest({
  network: 'TikTok',
  name: 'TikTok',
  code: 'tiktok',
  number: 7,
  profileKinds: ['account'],
  profileUrl: ({ networkUsername: name }) => name && `https://www.tiktok.com/@${name}`,
  app: {
    apiVersion: 'v1.3',
    hosts: {
      business: 'https://business-api.tiktok.com',
      login: 'https://www.tiktok.com',
      public: 'https://www.tiktok.com',
    },
  },
  login: {
    // An unknown scope makes TikTok reject the whole login.
    scopes: [
      'user.info.basic',
      'user.info.profile',
      'user.info.stats',
      'user.info.username',
      'video.list',
      'video.publish',
      'comment.list',
      'comment.list.manage',
    ],
    redirectSuffix: '/',
    refreshes: true,
  },
  push: { signature: 'tiktok-signature', activities: 'comments', registration: 'automatic', challenge: 'none' },
  likes: ['comment'],
  postMetrics: ['shares'],
  metricsBatchSize: 20,
  sandbox: { clientId: 'sandbox-tiktok-client' },

  limits: {
    text: { max: videoText, unit: 'utf16' },
    // For photo posts; videos have none.
    title: { max: 90, unit: 'utf16' },
    comment: { max: 150, unit: 'utf16' },
    images: {
      max: 35,
      rule: { mimes: ['image/jpeg', 'image/webp'], maxBytes: 20_000_000, sides },
    },
    videos: {
      max: 1,
      rule: {
        mimes: ['video/mp4', 'video/quicktime', 'video/webm'],
        bytes: { max: 1_000_000_000 },
        // Some accounts have lower limits, which are checked before publishing.
        seconds: { min: 3, max: 600 },
        width: { min: 360, max: 4096 },
        height: { min: 360, max: 4096 },
        framesPerSecond: { min: 23, max: 60 },
        videoCodecs: ['h264', 'hevc', 'vp8', 'vp9'],
      },
    },
    mixesMedia: false,
    needsMedia: true,
  },
  postMax: ({ media }) => (media.some(isVideo) ? videoText : photoText),
  title: ({ title = '', media }) => (media.some(isVideo) ? '' : title),
  forbiddenInComment: { pattern: /https?:\/\//i, what: 'links' },
  commentMedia: {
    images: { max: 1, rule: { mimes: ['image/jpeg', 'image/png', 'image/webp'], maxBytes: 5_000_000, sides } },
    videos: { max: 0 },
    mixesMedia: false,
  },
  missing: { remove: 'TikTok does not let apps delete posts; delete it in the TikTok app.' },
  capabilities,
  capabilitiesOf: ({ scopes }) => withPermissions(capabilities, scopes, gates),
})
