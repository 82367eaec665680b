import type { Limits } from '../limits.ts'

const megabyte = 1_000_000

const standard = {
  text: { max: 280, unit: 'x-weighted' },
  comment: { max: 280, unit: 'x-weighted' },
  // Second-hand.
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
} as const satisfies Limits

/** By what the account pays X for; all others have the standard. */
const byTier: { readonly [tier: string]: Limits } = {
  premium: {
    ...standard,
    text: { max: 25_000, unit: 'x-weighted' },
    comment: { max: 25_000, unit: 'x-weighted' },
  },
}

export const limitsFor = (tier: string): Limits => byTier[tier] ?? standard
