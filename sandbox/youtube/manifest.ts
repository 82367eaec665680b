import { digits, type SandboxManifest } from '../manifest.ts'
import { day, hour, minute } from '../state/clock.ts'
import { secret } from '../state/ids.ts'

export const manifest: SandboxManifest = {
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
