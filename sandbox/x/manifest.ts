import { digits, inPath, MB, type SandboxManifest } from '../manifest.ts'
import { day, hour } from '../state/clock.ts'

export const manifest: SandboxManifest = {
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
