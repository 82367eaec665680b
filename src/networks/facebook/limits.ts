import type { Limits } from '../limits.ts'

const MB = 1_000_000

/** All of it is second-hand: Meta publishes few of these numbers. */
export const facebookLimits = {
  text: { max: 63_206, unit: 'utf16' },
  comment: { max: 8000, unit: 'utf16' },
  message: { max: 2000, unit: 'utf16' },
  images: { max: 18, rule: { mimes: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 10 * MB } },
  videos: {
    max: 1,
    rule: {
      mimes: ['video/mp4', 'video/quicktime'],
      bytes: { max: 10_000 * MB },
      seconds: { min: 1, max: 14_400 },
      videoCodecs: ['h264'],
      audioCodecs: ['aac'],
    },
  },
  mixesMedia: false,
  needsMedia: false,
} satisfies Limits

/** Larger pictures are fetched by Facebook: one of its error texts names this as the end for bytes that are sent. */
export const largestSentPicture = 4 * MB
