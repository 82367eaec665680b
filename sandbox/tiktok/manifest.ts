import { digits, GB, inPath, MB, type SandboxManifest } from '../manifest.ts'
import { day, hour, minute, second } from '../state/clock.ts'

export const manifest: SandboxManifest = {
  network: 'TikTok',
  prefix: 'tiktok',
  app: { id: 'sandbox-tiktok-client', secret: 'sandbox-tiktok-secret' },
  usualKind: 'account',
  scopes: [
    'user.info.basic',
    'user.info.profile',
    'user.info.stats',
    'video.list',
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
    image: { mimes: ['image/jpeg', 'image/webp'], maxBytes: 20 * MB },
    video: {
      mimes: ['video/mp4', 'video/quicktime', 'video/webm'],
      maxBytes: 4 * GB,
      minSeconds: 3,
      maxSeconds: 600,
    },
  },
  names: digits,
}
