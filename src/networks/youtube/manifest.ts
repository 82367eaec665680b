import { networkManifest } from '../connector/manifest.ts'
import { type PermissionGate, withPermissions } from '../content/gates.ts'
import type { Capabilities } from '../content/limits.ts'
import { maximumTitle, shownText, titleOf } from './words.ts'

/** Pages of developers.google.com, as of November 2026. */

const capabilities: Capabilities = {
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
  like: 'yes',
  remove: 'yes',
  audience: 'no',
  reshare: 'no',
  // Uploads and their edits only; comments are asked for.
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
}

const written = 'https://www.googleapis.com/auth/'

/** Google's consent page lets people tick each permission. */
const gates: readonly PermissionGate[] = [
  {
    anyOf: [`${written}youtube.upload`, `${written}youtube.force-ssl`],
    features: ['video'],
    gated: 'Uploads were not allowed when this channel was connected. Reconnect it and allow youtube.upload.',
  },
  {
    anyOf: [`${written}youtube.force-ssl`],
    features: ['firstComment', 'reply', 'threadedReply', 'like', 'remove'],
    gated:
      'Comments, likes and deletions were not allowed when this channel was connected. Reconnect it and allow youtube.force-ssl.',
  },
]

/** YouTube: videos with their comments, numbers and pushed uploads. */
export const manifest = networkManifest({
  network: 'YouTube',
  name: 'YouTube',
  code: 'youtube',
  // As published clients may write it.
  spellings: ['Youtube'],
  number: 2,
  profileKinds: ['channel'],
  profileUrl: ({ networkAccountId }) => `https://www.youtube.com/channel/${networkAccountId}`,
  app: {
    apiVersion: 'v3',
    hosts: {
      api: 'https://www.googleapis.com',
      login: 'https://accounts.google.com',
      token: 'https://oauth2.googleapis.com',
      analytics: 'https://youtubeanalytics.googleapis.com',
      hub: 'https://pubsubhubbub.appspot.com',
      public: 'https://www.youtube.com',
    },
  },
  settings: {
    dailyUnits: {
      standard: '10000',
      help: 'Daily quota of the Google project for most calls, in units.',
      number: 'count',
    },
    dailyUploads: { standard: '100', help: 'Daily upload quota of the Google project.', number: 'count' },
  },
  login: {
    scopes: ['youtube.upload', 'youtube.force-ssl', 'youtube.readonly', 'yt-analytics.readonly'],
    // Google writes scopes as addresses.
    scopeName: (scope) => `https://www.googleapis.com/auth/${scope}`,
    renews: true,
  },
  push: { signature: 'x-hub-signature', tells: 'uploads', registration: 'automatic', challenge: 'open' },
  likes: ['post'],
  tells: ['shares'],
  metricsAtOnce: 50,
  sandbox: { clientId: 'sandbox-youtube-client.apps.googleusercontent.com' },

  limits: {
    text: { max: 5_000, unit: 'utf8' },
    // Which characters are counted is not documented; UTF-16 units are the strictest reading.
    title: { max: maximumTitle, unit: 'utf16' },
    comment: { max: 10_000, unit: 'utf16' },
    images: { max: 0 },
    videos: {
      max: 1,
      rule: {
        mimes: [
          'video/mp4',
          'video/quicktime',
          'video/webm',
          'video/x-msvideo',
          'video/mpeg',
          'video/3gpp',
          'video/x-flv',
        ],
        bytes: { min: 1, max: 256 * 1024 ** 3 },
        // Channels that were not verified by phone stop at 900 seconds; the channel does not tell (second-hand).
        seconds: { max: 43_200 },
      },
    },
    mixesMedia: false,
    needsMedia: true,
  },
  postText: ({ text }) => shownText(text),
  title: titleOf,
  needsTitle: true,
  refusedInPost: { pattern: /[<>]/, what: '< and >' },
  capabilities,
  capabilitiesOf: ({ scopes }) => withPermissions(capabilities, scopes, gates),
})
