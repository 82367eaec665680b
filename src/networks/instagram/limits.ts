import type { Limits } from '../limits.ts'

/** Pictures between 320 and 1440 pixels wide are kept as they are, others scaled by Instagram: no reason to refuse them. */
export const instagramLimits = {
  text: { max: 2200, unit: 'utf16' },
  // A newer ceiling of 5 is reported second-hand.
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
} satisfies Limits
