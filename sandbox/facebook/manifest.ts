import { GB, inPath, MB, type SandboxManifest } from '../manifest.ts'
import { hour, minute, second } from '../state/clock.ts'
import { graphId, secret } from '../state/ids.ts'

export const manifest: SandboxManifest = {
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
