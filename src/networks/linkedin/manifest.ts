import { networkManifest } from '../connector/manifest.ts'
import type { Capabilities, Limits } from '../content/content.ts'
import { displayedText } from './little-text.ts'
import { permittedCapabilities, scopePresets } from './permissions.ts'
import { readAudience } from './targeting.ts'

const images: Limits['images'] = {
  // LinkedIn accepts 20, the contract 9.
  max: 9,
  rule: {
    mimes: ['image/jpeg', 'image/png', 'image/gif'],
    // From secondary sources.
    maxBytes: 5_000_000,
    maxPixels: 36_152_319,
  },
}
const document = { mimes: ['application/pdf'], maxBytes: 100_000_000, maxPages: 300 }
// Unverified.
const altText = 4_086

export const messagesGate = 'LinkedIn opens messages to approved partners only.'

/** Of a company page. */
const capabilities: Capabilities = {
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
  directMessage: { gated: messagesGate },
  like: 'yes',
  remove: 'yes',
  audience: 'yes',
  reshare: 'yes',
  push: {
    gated: 'LinkedIn sends webhooks for comments only to apps with an approved use case. Comments are polled instead.',
  },
  postMetrics: 'yes',
  followers: 'yes',
}

const ofMembers: Partial<Capabilities> = {
  audience: 'no',
  push: 'no',
  postMetrics: { gated: 'Metrics of posts by members need the permission r_member_postAnalytics.' },
  followers: {
    gated: 'Follower counts of members need the permission r_member_profileAnalytics.',
  },
}

export const manifest = networkManifest({
  network: 'LinkedIn',
  name: 'LinkedIn',
  code: 'linkedin',
  number: 0,
  profileKinds: ['page', 'member'],
  profileUrl: ({ kind, networkAccountId, networkUsername: name }) =>
    kind === 'page'
      ? `https://www.linkedin.com/company/${networkAccountId}`
      : name && `https://www.linkedin.com/in/${name}`,
  app: {
    apiVersion: '202607',
    hosts: {
      api: 'https://api.linkedin.com',
      login: 'https://www.linkedin.com',
      public: 'https://www.linkedin.com',
    },
  },
  settings: {
    messages: {
      default: 'no',
      help: '`yes` if LinkedIn has approved the app for messages.',
      values: ['yes', 'no'],
    },
    tier: {
      default: 'standard',
      help: 'Tier of the Community Management API: `standard`, or `development` with a quota of 100 calls a day per member and 500 per app.',
      values: ['standard', 'development'],
    },
    applicationId: {
      help: 'Numeric id of the app, required for webhook subscriptions.',
      missingMeans: 'no webhooks',
    },
  },
  login: {
    scopes: scopePresets['community-management'].scopes,
    scopePresets,
    refreshes: true,
  },
  push: { signature: 'x-li-signature', activities: 'comments', registration: 'manual', challenge: 'open' },
  streams: { prefix: 'li', own: 'page', types: { page: { title: 'Posts' } } },
  likes: ['post', 'comment'],
  postMetrics: ['shares', 'impressions'],
  metricsBatchSize: 50,
  sandbox: { clientId: 'sandbox-linkedin-client', options: { messages: 'yes' } },

  limits: {
    text: { max: 3_000, unit: 'utf16' },
    // For documents.
    title: { max: 400, unit: 'utf16' },
    // From secondary sources: two say 1,250, one says 3,000.
    comment: { max: 1_250, unit: 'utf16' },
    // Unverified.
    message: { max: 8_000, unit: 'utf16' },
    altText,
    images,
    videos: {
      max: 1,
      rule: {
        mimes: ['video/mp4'],
        bytes: { min: 75_000, max: 500_000_000 },
        seconds: { min: 3, max: 1_800 },
        aspect: { min: 0.417, max: 2.4 },
        videoCodecs: ['h264'],
        audioCodecs: ['aac'],
      },
    },
    document: { ...document, alone: true },
    mixesMedia: false,
    needsMedia: false,
  },
  postText: ({ text }) => displayedText(text),
  commentText: displayedText,
  commentMedia: { images: { ...images, max: 1 }, videos: { max: 0 }, mixesMedia: false, altText },
  messageMedia: {
    images: { ...images, max: Number.POSITIVE_INFINITY },
    videos: { max: 0 },
    document: { ...document, alone: false },
    mixesMedia: false,
    altText,
  },
  messageNeedsText: true,
  audienceProblem: (audience) => readAudience(audience).problem,
  capabilities,
  capabilitiesOf: (profile) =>
    permittedCapabilities({ ...capabilities, ...(profile.kind !== 'page' && ofMembers) }, profile),
})
