import { inPath, MB, type SandboxManifest } from '../manifest.ts'
import { hour, minute, second } from '../state/clock.ts'
import { graphId, secret } from '../state/ids.ts'

export const manifest: SandboxManifest = {
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
