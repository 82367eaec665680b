import { day, hour, minute, second } from './state/clock.ts'
import { graphId, secret, snowflake } from './state/ids.ts'
import { type Item, type Network, networks, type Person, type Profile } from './state/rows.ts'

/** What one network of the sandbox is like, as far as it is no code: typed from its documentation and from nothing the connectors use. */
export interface SandboxManifest {
  network: Network
  /** What its paths begin with. */
  prefix: string
  /** The one registered app. */
  app: { id: string; secret: string }
  usualKind: Profile['kind']
  /** All that an app can be allowed. */
  scopes: string[]
  /** How long tokens live; none means until somebody takes them away. */
  lifetimes: { access?: number; refresh?: number }
  codeLifetime: number
  /** The pauses between attempts to push, on the sandbox's clock. */
  pushPauses: number[]
  /** The id of the post that is shown there, if the address is one of a single post. */
  permalink(path: string, query: URLSearchParams): string | undefined
  limits: NetworkLimits
  names: Names
}

export interface FileRule {
  mimes: string[]
  maxBytes: number
  minBytes?: number
  minSeconds?: number
  maxSeconds?: number
  /** Width divided by height. */
  /** The longest that its longer and its shorter side may be. */
  sides?: [long: number, short: number]
  aspect?: [number, number]
}

export interface NetworkLimits {
  text: number
  title?: number
  comment: number
  message?: number
  images: number
  image?: FileRule
  gif?: FileRule
  video: FileRule
  document?: FileRule
}

/** How a network spells the ids of what is said on it. */
export interface Names {
  comment(post: Item, parent: Item): string
  mention(from: Person): string
  message(): string
  thread(profile: Profile, person: Person): string
  like(from: Person, target: Item): string
}

const digits: Names = {
  comment: snowflake,
  mention: snowflake,
  message: snowflake,
  thread: snowflake,
  like: () => `like-${snowflake()}`,
}

/** For addresses that hold the id in their path; it is what the pattern catches. */
const inPath = (pattern: RegExp) => (path: string) => pattern.exec(path)?.[1]

const MB = 1_000_000
const GB = 1000 * MB

/** What a developer can add to an app, and the permissions that come with it. */
const communityManagement = [
  'r_basicprofile',
  'w_member_social',
  'w_member_social_feed',
  'r_member_social',
  'r_member_social_feed',
  'r_member_postAnalytics',
  'r_member_profileAnalytics',
  'w_organization_social',
  'w_organization_social_feed',
  'r_organization_social',
  'r_organization_social_feed',
  'rw_organization_admin',
  'r_organization_followers',
  'r_1st_connections_size',
]
const shareAndSignIn = ['openid', 'profile', 'email', 'w_member_social']
const advertising = [
  'r_basicprofile',
  'r_ads',
  'rw_ads',
  'r_ads_reporting',
  'r_organization_admin',
  'rw_organization_admin',
  'r_organization_social',
  'w_organization_social',
  'w_member_social',
  'r_1st_connections_size',
]

/** The apps there can be: Community Management must be the only product of its app. The first is what the sandbox's app is. */
const linkedinProducts: Record<string, readonly string[]> = {
  'community-management': communityManagement,
  share: shareAndSignIn,
  'share-advertising': [...shareAndSignIn, ...advertising],
}

/** The permissions of the app that the first profiles were connected with. */
const pageScopes = communityManagement

/** The first permission that an app with these products does not have. */
export function unauthorizedScope(products: string | undefined, asked: readonly string[]): string | undefined {
  const scopes = linkedinProducts[products ?? 'community-management'] ?? []
  return asked.find((scope) => !scopes.includes(scope))
}

/** Tokens can be renewed by approved marketing partners only; who just shares and signs in is none. */
export const isPartner = (scopes: readonly string[]) => scopes.some((scope) => !shareAndSignIn.includes(scope))

export const Facebook: SandboxManifest = {
  network: 'Facebook',
  prefix: 'facebook',
  app: { id: '900000000000001', secret: 'sandbox-facebook-secret' },
  usualKind: 'page',
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
    'instagram_basic',
    'instagram_content_publish',
    'instagram_manage_comments',
    'instagram_manage_insights',
    'instagram_manage_messages',
    'instagram_manage_contents',
  ],
  lifetimes: { access: 2 * hour },
  codeLifetime: 10 * minute,
  pushPauses: [10 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour],
  permalink: inPath(/^\/facebook\/permalink\/([^/]+)$/),
  limits: {
    text: 63_206,
    comment: 8000,
    message: 2000,
    images: 18,
    image: { mimes: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 10 * MB },
    video: { mimes: ['video/mp4', 'video/quicktime'], maxBytes: 10 * GB, maxSeconds: 14_400 },
  },
  names: {
    comment: (post) => `${post.id.split('_').at(-1)}_${graphId()}`,
    mention: (from) => `${from.id}_${graphId()}`,
    message: () => secret('m_'),
    thread: () => `t_${graphId()}`,
    like: () => `like_${graphId()}`,
  },
}

export const Instagram: SandboxManifest = {
  network: 'Instagram',
  prefix: 'instagram',
  app: { id: '900000000000002', secret: 'sandbox-instagram-secret' },
  usualKind: 'account',
  scopes: [
    'instagram_business_basic',
    'instagram_business_content_publish',
    'instagram_business_manage_comments',
    'instagram_business_manage_insights',
    'instagram_business_manage_messages',
  ],
  lifetimes: { access: hour },
  codeLifetime: hour,
  pushPauses: [10 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour],
  permalink: inPath(/^\/instagram\/p\/([^/]+)\/?$/),
  limits: {
    text: 2200,
    comment: 2200,
    message: 1000,
    images: 10,
    image: { mimes: ['image/jpeg'], maxBytes: 8 * 1024 * 1024, aspect: [0.8, 1.91] },
    video: { mimes: ['video/mp4', 'video/quicktime'], maxBytes: 300 * MB, minSeconds: 3, maxSeconds: 900 },
  },
  names: {
    comment: graphId,
    mention: graphId,
    message: () => secret('aWdf'),
    thread: () => secret('aWdfZAG06'),
    like: () => `like_${graphId()}`,
  },
}

const LinkedIn: SandboxManifest = {
  network: 'LinkedIn',
  prefix: 'linkedin',
  app: { id: 'sandbox-linkedin-client', secret: 'sandbox-linkedin-secret' },
  usualKind: 'page',
  scopes: pageScopes,
  lifetimes: { access: 60 * day, refresh: 365 * day },
  codeLifetime: 30 * minute,
  pushPauses: Array.from({ length: 96 }, () => 5 * minute),
  permalink: inPath(/^\/linkedin\/feed\/update\/([^/]+)\/?$/),
  limits: {
    text: 3000,
    comment: 1250,
    message: 8000,
    images: 20,
    image: { mimes: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 5 * MB },
    video: {
      mimes: ['video/mp4'],
      minBytes: 75_000,
      maxBytes: 500 * MB,
      minSeconds: 3,
      maxSeconds: 1800,
      aspect: [0.417, 2.4],
    },
    document: { mimes: ['application/pdf'], maxBytes: 100 * MB },
  },
  names: {
    comment: (post) => `urn:li:comment:(${post.alias ?? post.id},${snowflake()})`,
    mention: () => `urn:li:share:${snowflake()}`,
    message: () => `urn:li:message:${snowflake()}`,
    thread: () => `urn:li:conversation:${snowflake()}`,
    like: (from, target) => `urn:li:reaction:(urn:li:person:${from.id},${target.alias ?? target.id})`,
  },
}

const Twitter: SandboxManifest = {
  network: 'Twitter',
  prefix: 'x',
  app: { id: 'sandbox-x-client', secret: 'sandbox-x-secret' },
  usualKind: 'account',
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
  lifetimes: { access: 2 * hour, refresh: 180 * day },
  codeLifetime: 30_000,
  pushPauses: [],
  permalink: inPath(/^\/x\/[^/]+\/status\/(\d+)$/),
  limits: {
    text: 280,
    comment: 280,
    message: 10_000,
    images: 4,
    image: { mimes: ['image/jpeg', 'image/png', 'image/webp'], maxBytes: 5 * MB },
    gif: { mimes: ['image/gif'], maxBytes: 15 * MB },
    video: {
      mimes: ['video/mp4', 'video/quicktime'],
      maxBytes: 512 * MB,
      minSeconds: 0.5,
      maxSeconds: 140,
      aspect: [0.333, 3],
    },
  },
  names: {
    ...digits,
    // Both sides' ids, the smaller first.
    thread: (profile, person) =>
      [profile.id, person.id].sort((left, right) => left.length - right.length || left.localeCompare(right)).join('-'),
  },
}

const YouTube: SandboxManifest = {
  network: 'YouTube',
  prefix: 'youtube',
  app: { id: 'sandbox-youtube-client.apps.googleusercontent.com', secret: 'sandbox-youtube-secret' },
  usualKind: 'channel',
  scopes: ['youtube.upload', 'youtube.force-ssl', 'youtube.readonly', 'yt-analytics.readonly'].map(
    (name) => `https://www.googleapis.com/auth/${name}`,
  ),
  lifetimes: { access: hour, refresh: 180 * day },
  codeLifetime: 10 * minute,
  pushPauses: [minute, 10 * minute, hour],
  permalink: (path, query) => (path === '/youtube/watch' ? (query.get('v') ?? undefined) : undefined),
  limits: {
    text: 5000,
    title: 100,
    comment: 10_000,
    images: 0,
    video: {
      mimes: ['video/mp4', 'video/quicktime', 'video/webm'],
      maxBytes: 256 * 1024 ** 3,
      maxSeconds: 43_200,
    },
  },
  names: {
    ...digits,
    comment: (post, parent) =>
      parent === post ? secret('Ug').slice(0, 26) : `${parent.id}.${secret('').slice(0, 22)}`,
  },
}

export const TikTok: SandboxManifest = {
  network: 'TikTok',
  prefix: 'tiktok',
  app: { id: 'sandbox-tiktok-client', secret: 'sandbox-tiktok-secret' },
  usualKind: 'account',
  scopes: [
    'user.info.basic',
    'user.info.profile',
    'user.info.stats',
    'user.info.username',
    'user.account.type',
    'user.insights',
    'video.list',
    'video.insights',
    'video.publish',
    'video.upload',
    'comment.list',
    'comment.list.manage',
    'message.list.read',
    'message.list.send',
    'message.list.manage',
  ],
  lifetimes: { access: day, refresh: 365 * day },
  codeLifetime: 10 * minute,
  pushPauses: [10 * second, minute, 10 * minute, hour, 12 * hour, 24 * hour, 24 * hour],
  permalink: inPath(/^\/tiktok\/@[^/]+\/video\/(\d+)$/),
  limits: {
    text: 2200,
    title: 90,
    comment: 150,
    message: 6000,
    images: 35,
    image: { mimes: ['image/jpeg', 'image/webp'], maxBytes: 20 * MB, sides: [1920, 1080] },
    video: {
      mimes: ['video/mp4', 'video/quicktime', 'video/webm'],
      maxBytes: GB,
      minSeconds: 3,
      maxSeconds: 600,
    },
  },
  names: digits,
}

export const manifests: Record<Network, SandboxManifest> = { Facebook, Instagram, LinkedIn, Twitter, YouTube, TikTok }

const each = <Name extends keyof SandboxManifest>(name: Name) =>
  Object.fromEntries(networks.map((network) => [network, manifests[network][name]])) as Record<
    Network,
    SandboxManifest[Name]
  >

export const apps = each('app')
export const names = each('names')
export const limits = each('limits')
