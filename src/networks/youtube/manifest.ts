import { networkManifest } from '../connector/manifest.ts'
import type { Capabilities } from '../content/content.ts'
import { type PermissionGate, withPermissions } from '../content/gates.ts'

const maximumTitle = 100

/** The description as YouTube returns it. */
export const displayedText = (text: string) => text.replaceAll('\r\n', '\n').trim()

/** The given title, or else the first line of the text, shortened to fit; empty if there is neither. */
export function titleOf({ title, text }: { title?: string | undefined; text: string }): string {
  const [line = ''] = displayedText(text).split('\n')
  return title?.trim() || shortened(line.replace(/[<>]/g, ''), maximumTitle)
}

/** Never splits a surrogate pair. */
const shortened = (text: string, length: number) =>
  text.length <= length
    ? text.trim()
    : text
        .slice(0, length)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trim()

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
  // Uploads and their edits only; comments are polled.
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
}

const written = 'https://www.googleapis.com/auth/'

/** Google's consent page lets users deselect each permission. */
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

/** YouTube: videos with comments, metrics and pushed uploads. */
export const manifest = networkManifest({
  network: 'YouTube',
  name: 'YouTube',
  code: 'youtube',
  // A spelling used by existing clients.
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
      default: '10000',
      help: 'Daily quota of the Google project for most calls, in units.',
      number: 'count',
    },
    dailyUploads: { default: '100', help: 'Daily upload quota of the Google project.', number: 'count' },
  },
  login: {
    scopes: ['youtube.upload', 'youtube.force-ssl', 'youtube.readonly', 'yt-analytics.readonly'],
    // Google writes scopes as URLs.
    scopeName: (scope) => `https://www.googleapis.com/auth/${scope}`,
    refreshes: true,
  },
  push: { signature: 'x-hub-signature', activities: 'uploads', registration: 'automatic', challenge: 'open' },
  likes: ['post'],
  postMetrics: ['shares'],
  metricsBatchSize: 50,
  sandbox: { clientId: 'sandbox-youtube-client.apps.googleusercontent.com' },

  limits: {
    text: { max: 5_000, unit: 'utf8' },
    // The unit isn't documented; UTF-16 code units are the strictest interpretation.
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
        // Channels without phone verification are limited to 900 seconds, which the API doesn't report (from secondary sources).
        seconds: { max: 43_200 },
      },
    },
    mixesMedia: false,
    needsMedia: true,
  },
  postText: ({ text }) => displayedText(text),
  title: titleOf,
  needsTitle: true,
  forbiddenInPost: { pattern: /[<>]/, what: '< and >' },
  capabilities,
  capabilitiesOf: ({ scopes }) => withPermissions(capabilities, scopes, gates),
})
