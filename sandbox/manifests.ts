import { day, hour, minute, second } from './state/clock.ts'
import { graphId, secret, snowflake } from './state/ids.ts'
import { type Item, type Network, networks, type Person, type Profile } from './state/rows.ts'

/** Static properties of one network, taken from its documentation and not from the connectors. */
export interface SandboxManifest {
  network: Network
  /** Path prefix in the sandbox. */
  prefix: string
  /** The registered app. */
  app: { id: string; secret: string }
  defaultKind: Profile['kind']
  /** All scopes of the app. */
  scopes: string[]
  /** Token lifetimes; undefined for tokens that do not expire. */
  lifetimes: { access?: number; refresh?: number }
  codeLifetime: number
  /** Delays between push attempts, on the sandbox clock. */
  pushRetryDelays: number[]
  /** The post id in a permalink, or undefined for other paths. */
  permalink(path: string, query: URLSearchParams): string | undefined
  limits: NetworkLimits
  idFormats: IdFormats
}

export interface FileRule {
  mimes: string[]
  maxBytes: number
  minBytes?: number
  minSeconds?: number
  maxSeconds?: number
  /** Maximum length of the longer and the shorter side. */
  sides?: [long: number, short: number]
  /** Width divided by height. */
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

/** Id formats of a network. */
export interface IdFormats {
  comment(post: Item, parent: Item): string
  mention(from: Person): string
  message(): string
  thread(profile: Profile, person: Person): string
  like(from: Person, target: Item): string
}

const numericIds: IdFormats = {
  comment: snowflake,
  mention: snowflake,
  message: snowflake,
  thread: snowflake,
  like: () => `like-${snowflake()}`,
}

/** A permalink with the id in the path, as the first group of the pattern. */
const idInPath = (pattern: RegExp) => (path: string) => pattern.exec(path)?.[1]

const MB = 1_000_000
const GB = 1000 * MB

// LinkedIn products and the scopes they grant.
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
export const shareAndSignIn = ['openid', 'profile', 'email', 'w_member_social']
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

/** Possible apps: Community Management must be the only product of an app, and is the default here. */
export const linkedinProducts: Record<string, readonly string[]> = {
  'community-management': communityManagement,
  share: shareAndSignIn,
  'share-advertising': [...shareAndSignIn, ...advertising],
}

const Facebook: SandboxManifest = {
  network: 'Facebook',
  prefix: 'facebook',
  app: { id: '900000000000001', secret: 'sandbox-facebook-secret' },
  defaultKind: 'page',
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
  pushRetryDelays: [10 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour],
  permalink: idInPath(/^\/facebook\/permalink\/([^/]+)$/),
  limits: {
    text: 63_206,
    comment: 8000,
    message: 2000,
    images: 18,
    image: { mimes: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 10 * MB },
    video: { mimes: ['video/mp4', 'video/quicktime'], maxBytes: 10 * GB, maxSeconds: 14_400 },
  },
  idFormats: {
    comment: (post) => `${post.id.split('_').at(-1)}_${graphId()}`,
    mention: (from) => `${from.id}_${graphId()}`,
    message: () => secret('m_'),
    thread: () => `t_${graphId()}`,
    like: () => `like_${graphId()}`,
  },
}

const Instagram: SandboxManifest = {
  network: 'Instagram',
  prefix: 'instagram',
  app: { id: '900000000000002', secret: 'sandbox-instagram-secret' },
  defaultKind: 'account',
  scopes: [
    'instagram_business_basic',
    'instagram_business_content_publish',
    'instagram_business_manage_comments',
    'instagram_business_manage_insights',
    'instagram_business_manage_messages',
  ],
  lifetimes: { access: hour },
  codeLifetime: hour,
  pushRetryDelays: [10 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour],
  permalink: idInPath(/^\/instagram\/p\/([^/]+)\/?$/),
  limits: {
    text: 2200,
    comment: 2200,
    message: 1000,
    images: 10,
    image: { mimes: ['image/jpeg'], maxBytes: 8 * 1024 * 1024, aspect: [0.8, 1.91] },
    video: { mimes: ['video/mp4', 'video/quicktime'], maxBytes: 300 * MB, minSeconds: 3, maxSeconds: 900 },
  },
  idFormats: {
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
  defaultKind: 'page',
  scopes: communityManagement,
  lifetimes: { access: 60 * day, refresh: 365 * day },
  codeLifetime: 30 * minute,
  pushRetryDelays: Array.from({ length: 96 }, () => 5 * minute),
  permalink: idInPath(/^\/linkedin\/feed\/update\/([^/]+)\/?$/),
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
  idFormats: {
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
  defaultKind: 'account',
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
  pushRetryDelays: [],
  permalink: idInPath(/^\/x\/[^/]+\/status\/(\d+)$/),
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
  idFormats: {
    ...numericIds,
    // The ids of both participants, the smaller first.
    thread: (profile, person) =>
      [profile.id, person.id].sort((left, right) => left.length - right.length || left.localeCompare(right)).join('-'),
  },
}

const YouTube: SandboxManifest = {
  network: 'YouTube',
  prefix: 'youtube',
  app: { id: 'sandbox-youtube-client.apps.googleusercontent.com', secret: 'sandbox-youtube-secret' },
  defaultKind: 'channel',
  scopes: ['youtube.upload', 'youtube.force-ssl', 'youtube.readonly', 'yt-analytics.readonly'].map(
    (name) => `https://www.googleapis.com/auth/${name}`,
  ),
  lifetimes: { access: hour, refresh: 180 * day },
  codeLifetime: 10 * minute,
  pushRetryDelays: [minute, 10 * minute, hour],
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
  idFormats: {
    ...numericIds,
    comment: (post, parent) =>
      parent === post ? secret('Ug').slice(0, 26) : `${parent.id}.${secret('').slice(0, 22)}`,
  },
}

const TikTok: SandboxManifest = {
  network: 'TikTok',
  prefix: 'tiktok',
  app: { id: 'sandbox-tiktok-client', secret: 'sandbox-tiktok-secret' },
  defaultKind: 'account',
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
  pushRetryDelays: [10 * second, minute, 10 * minute, hour, 12 * hour, 24 * hour, 24 * hour],
  permalink: idInPath(/^\/tiktok\/@[^/]+\/video\/(\d+)$/),
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
  idFormats: numericIds,
}

export const manifests: Record<Network, SandboxManifest> = { Facebook, Instagram, LinkedIn, Twitter, YouTube, TikTok }

const byNetwork = <Name extends keyof SandboxManifest>(name: Name) =>
  Object.fromEntries(networks.map((network) => [network, manifests[network][name]])) as Record<
    Network,
    SandboxManifest[Name]
  >

export const apps = byNetwork('app')
export const idFormats = byNetwork('idFormats')
export const limits = byNetwork('limits')
