import { networkManifest } from '../connector/manifest.ts'
import type { Capabilities, Feature } from '../content/content.ts'
import { type PermissionGate, withPermissions } from '../content/gates.ts'

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
  replyMedia: 'no',
  directMessage: 'no',
  like: 'no',
  remove: 'no',
  audience: 'no',
  reshare: 'no',
  push: 'yes',
  postMetrics: 'yes',
  followers: 'yes',
}

const accountScopes = [
  'instagram_business_basic',
  'instagram_business_content_publish',
  'instagram_business_manage_comments',
  'instagram_business_manage_insights',
]

/** Scopes requested for accounts connected through their Facebook pages. */
const pageScopes = [
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
  'instagram_manage_insights',
  'instagram_manage_contents',
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_metadata',
  'business_management',
]

/** Both logins have the same permissions under different names; behind a page, publishing needs a task on the page too (media_publish, read November 2026). */
const gatesOf = (prefix: string, task: string): readonly PermissionGate[] => {
  const gate = (name: string, what: string, features: readonly Feature[], more = ''): PermissionGate => ({
    anyOf: [`${prefix}${name}`],
    features,
    gated: `The person who connected this account can't ${what}. Reconnect it${more}, and allow ${prefix}${name}.`,
  })
  return [
    gate('content_publish', 'publish on it', ['image', 'multiImage', 'video'], task),
    gate('manage_comments', 'comment on it', ['firstComment', 'reply', 'threadedReply']),
    gate('manage_insights', 'see its numbers', ['postMetrics']),
    gate('manage_contents', 'delete its posts', ['remove']),
  ]
}
const accountGates = gatesOf('instagram_business_', '')
const pageGates = gatesOf('instagram_', ' as someone with the CREATE_CONTENT task on its Page')

/** Instagram professional accounts: through Instagram Login, or with the option `login: facebook` through their pages. */
export const manifest = networkManifest({
  network: 'Instagram',
  name: 'Instagram',
  code: 'instagram',
  number: 3,
  profileKinds: ['account'],
  profileUrl: ({ networkUsername: name }) => name && `https://www.instagram.com/${name}`,
  app: {
    apiVersion: 'v26.0',
    hosts: {
      graph: 'https://graph.instagram.com',
      login: 'https://www.instagram.com',
      token: 'https://api.instagram.com',
      upload: 'https://rupload.facebook.com',
    },
    // Accounts behind a page use the page's hosts.
    hostsOf: ({ login }): { [role: string]: string } =>
      login === 'facebook'
        ? {
            graph: 'https://graph.facebook.com',
            login: 'https://www.facebook.com',
            token: 'https://graph.facebook.com',
          }
        : {},
  },
  settings: {
    login: {
      default: 'instagram',
      help: 'Login: `instagram`, or `facebook` for accounts that belong to a Facebook Page.',
      values: ['instagram', 'facebook'],
    },
    appSecret: {
      help: 'App secret of the Meta app (App settings > Basic). If set, webhooks signed with this secret are accepted in addition to those signed with the client secret.',
    },
  },
  login: {
    scopes: accountScopes,
    scopesOf: ({ login }) => (login === 'facebook' ? pageScopes : accountScopes),
    scopePresets: {
      'instagram-login': {
        help: 'Instagram Login: each account signs in itself',
        scopes: accountScopes,
        option: { name: 'login', value: 'instagram' },
      },
      'facebook-login': {
        help: 'Facebook Login: accounts behind Facebook Pages',
        scopes: pageScopes,
        option: { name: 'login', value: 'facebook' },
      },
    },
    refreshes: true,
  },
  push: {
    signature: 'x-hub-signature-256',
    activities: 'comments',
    registration: 'manual',
    challenge: 'verify-token',
  },
  streams: { prefix: 'ig', own: 'page', types: { page: { title: 'Posts' }, 'page.tags': { title: 'Mentions' } } },
  likes: [],
  postMetrics: ['shares', 'impressions'],
  metricsBatchSize: 4,
  sandbox: { clientId: '900000000000002' },

  // Instagram scales images outside 320 to 1440 pixels width, so they aren't rejected.
  limits: {
    text: { max: 2200, unit: 'utf16' },
    // Being lowered to 5, account by account: publishing.ts explains a rejection.
    hashtags: 30,
    mentions: 20,
    comment: { max: 2200, unit: 'utf16' },
    altText: 1000,
    images: {
      max: 10,
      rule: { mimes: ['image/jpeg'], maxBytes: 8 * 1024 * 1024, aspect: { min: 0.8, max: 1.91 } },
    },
    videos: {
      max: 10,
      rule: {
        mimes: ['video/mp4', 'video/quicktime'],
        // Some of Meta's pages say 1 GB.
        bytes: { max: 300_000_000 },
        seconds: { min: 3, max: 900 },
        width: { max: 1920 },
        aspect: { min: 0.01, max: 10 },
        framesPerSecond: { min: 23, max: 60 },
        videoCodecs: ['h264', 'hevc'],
        audioCodecs: ['aac'],
      },
    },
    mixesMedia: true,
    needsMedia: true,
  },
  missing: {
    like: 'Instagram has no way for apps to like something.',
    remove: 'Instagram lets posts be removed only in its own app.',
  },
  capabilities,
  // Posts can be deleted through Facebook Login only.
  capabilitiesOf: ({ options, scopes }) =>
    options.login === 'facebook'
      ? withPermissions({ ...capabilities, remove: 'yes' }, scopes, pageGates)
      : withPermissions(capabilities, scopes, accountGates),
})
