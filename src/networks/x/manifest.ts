import { networkManifest, type ProfileFacts } from '../connector/manifest.ts'
import type { Capabilities, Content, Gate, Limits } from '../content/content.ts'
import { type PermissionGate, postFeatures, withPermissions } from '../content/gates.ts'

const megabyte = 1_000_000

const limits: Limits = {
  text: { max: 280, unit: 'x-weighted' },
  comment: { max: 280, unit: 'x-weighted' },
  // From secondary sources.
  message: { max: 10_000, unit: 'utf16' },
  altText: 1000,
  images: {
    max: 4,
    rule: {
      mimes: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
      maxBytes: 5 * megabyte,
      gif: { maxBytes: 15 * megabyte, alone: true },
    },
  },
  videos: {
    max: 1,
    rule: {
      mimes: ['video/mp4', 'video/quicktime'],
      bytes: { max: 512 * megabyte },
      seconds: { min: 0.5, max: 140 },
      width: { min: 32, max: 1280 },
      height: { min: 32, max: 1024 },
      aspect: { min: 1 / 3, max: 3 },
      framesPerSecond: { max: 60 },
      videoCodecs: ['h264'],
      audioCodecs: ['aac'],
    },
  },
  mixesMedia: false,
  needsMedia: false,
}

/** By the account's own subscription; all others have the standard limits. */
const limitsByTier: { readonly [tier: string]: Limits } = {
  premium: {
    ...limits,
    text: { max: 25_000, unit: 'x-weighted' },
    comment: { max: 25_000, unit: 'x-weighted' },
  },
}

const open: Capabilities = {
  text: 'yes',
  link: 'yes',
  image: 'yes',
  multiImage: 'yes',
  video: 'yes',
  document: 'no',
  firstComment: 'yes',
  reply: 'yes',
  // Every reply is a post that replies to a post: there are no levels.
  threadedReply: 'no',
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

/** Whether it also covers replies to own posts is not documented; if X rejects them, this says what to do. */
export const replyRule =
  'X lets apps without an enterprise contract reply only to posts that mention or quote the account. Reply on X itself, or publish the text as a post of its own.'
const repliesGate: Gate = { gated: replyRule, unless: 'mentioned' }

/** Apps can be configured to request fewer permissions. */
const gates: readonly PermissionGate[] = [
  {
    anyOf: ['tweet.write'],
    features: [...postFeatures, 'firstComment', 'reply', 'replyMedia', 'remove'],
    gated:
      'This account was connected without permission to post. Add tweet.write to CHORUS_X_SCOPES and reconnect it.',
  },
  {
    anyOf: ['media.write'],
    features: ['image', 'multiImage', 'video', 'replyMedia'],
    gated:
      'This account was connected without permission to upload media. Add media.write to CHORUS_X_SCOPES and reconnect it.',
  },
  {
    anyOf: ['dm.write'],
    features: ['directMessage'],
    gated:
      'This account was connected without permission to send messages. Add dm.write to CHORUS_X_SCOPES and reconnect it.',
  },
  {
    anyOf: ['like.write'],
    features: ['like'],
    gated: 'This account was connected without permission to like. Add like.write to CHORUS_X_SCOPES and reconnect it.',
  },
]

/** Since 2026 X restricts some features to apps with an enterprise contract. */
const capabilities: Capabilities = {
  ...open,
  reply: repliesGate,
  replyMedia: repliesGate,
  like: { gated: 'X allows likes only to apps with an enterprise contract.' },
}

/** X has no link previews of ours: a link is a URL in the text. */
export function postText({ text, link }: Pick<Content, 'text' | 'link'>): string {
  if (!link || text.includes(link.url)) return text
  return text.trim() === '' ? link.url : `${text}\n${link.url}`
}

/** Features depend on the app's plan; `premium` is the account's own subscription and affects only the length of posts. */
const planOf = ({ tier, options }: ProfileFacts): string =>
  tier === undefined || tier in limitsByTier ? (options.tier ?? 'self-serve') : tier

/** X, named Twitter in the API contract. */
export const manifest = networkManifest({
  network: 'Twitter',
  name: 'X',
  code: 'x',
  number: 1,
  spellings: ['X'],
  profileKinds: ['account'],
  profileUrl: ({ networkUsername: name }) => name && `https://x.com/${name}`,
  app: {
    apiVersion: '2',
    hosts: { api: 'https://api.x.com', login: 'https://x.com', public: 'https://x.com' },
  },
  settings: {
    tier: {
      default: 'self-serve',
      help: 'Plan of the app at X: `self-serve` or `enterprise`.',
      values: ['self-serve', 'enterprise'],
    },
    consumerKey: {
      help: 'Consumer key of the app, required for webhook subscriptions.',
      missingMeans: 'no webhooks',
    },
    consumerSecret: { help: 'Consumer secret of the app, which signs webhooks from X.', missingMeans: 'no webhooks' },
    monthlySpend: {
      help: 'Spending limit at X in US dollars per calendar month (UTC). Reads stop at 80 % of it; posts and replies are always sent. Unset means no limit in Chorus; set a hard limit in the X console.',
      number: 'dollars',
    },
  },
  login: {
    // `timeline.read` is for reposts of own posts.
    scopes: [
      'tweet.read',
      'tweet.write',
      'users.read',
      'offline.access',
      'media.write',
      'dm.read',
      'dm.write',
      'like.read',
      'like.write',
      'list.read',
      'follows.read',
      'timeline.read',
    ],
    refreshes: true,
  },
  push: {
    signature: 'x-twitter-webhooks-signature',
    activities: 'comments',
    registration: 'automatic',
    challenge: 'open',
  },
  streams: {
    prefix: 'tw',
    own: 'feed',
    types: {
      mention: { title: 'Mentions' },
      retweet: { title: 'Reposts' },
      feed: { title: 'Posts' },
      keyword: { title: 'Search', parameter: { field: 'keyword', what: 'the words to search for' } },
      list: { title: 'List', parameter: { field: 'listId', what: 'the number of a list', form: /^\d{1,19}$/ } },
      favorite: { title: 'Likes' },
      home: { title: 'Home' },
      user: { title: 'Posts', parameter: { field: 'username', what: 'the name of an account', form: /^@?\w{1,50}$/ } },
    },
  },
  likes: ['post', 'comment'],
  repliesArePosts: true,
  postMetrics: ['shares', 'impressions'],
  metricsBatchSize: 100,
  sandbox: { clientId: 'sandbox-x-client', options: { tier: 'enterprise' } },

  limits,
  limitsOf: ({ tier }) => limitsByTier[tier ?? ''] ?? limits,
  postText,
  // A reply is a post.
  commentMedia: limits,
  messageMedia: { ...limits, images: { ...limits.images, max: 1 } },
  capabilities,
  capabilitiesOf: (profile) =>
    withPermissions(planOf(profile) === 'self-serve' ? capabilities : open, profile.scopes, gates),
})
