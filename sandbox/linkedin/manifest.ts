import { inPath, MB, type SandboxManifest } from '../manifest.ts'
import { day, minute } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { pageScopes } from './products.ts'

export const manifest: SandboxManifest = {
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
