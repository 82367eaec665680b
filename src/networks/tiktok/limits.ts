import type { ImageRule, Limits } from '../limits.ts'

export const limits = {
  text: { max: 2200, unit: 'utf16' },
  // Of photo posts; videos have none.
  title: { max: 90, unit: 'utf16' },
  comment: { max: 150, unit: 'utf16' },
  images: {
    max: 35,
    rule: { mimes: ['image/jpeg', 'image/webp'], maxBytes: 20_000_000 },
  },
  videos: {
    max: 1,
    rule: {
      mimes: ['video/mp4', 'video/quicktime', 'video/webm'],
      // One second-hand source says 1 GB for the business API.
      bytes: { max: 4_000_000_000 },
      // Some accounts have less; only TikTok knows.
      seconds: { min: 3, max: 600 },
      width: { min: 360, max: 4096 },
      height: { min: 360, max: 4096 },
      framesPerSecond: { min: 23, max: 60 },
      videoCodecs: ['h264', 'hevc', 'vp8', 'vp9'],
    },
  },
  mixesMedia: false,
  needsMedia: true,
} as const satisfies Limits

/** The text beside photos may be longer. */
export const photoText = 4000

/** The picture of a comment; second-hand. */
export const commentImage = {
  mimes: ['image/jpeg', 'image/png', 'image/webp'],
  maxBytes: 5_000_000,
} as const satisfies ImageRule
