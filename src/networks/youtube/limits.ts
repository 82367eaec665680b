import type { Limits } from '../limits.ts'

export const youtubeLimits = {
  text: { max: 5_000, unit: 'utf8' },
  // Which characters are counted is not documented; UTF-16 units are the strictest reading.
  title: { max: 100, unit: 'utf16' },
  comment: { max: 10_000, unit: 'utf16' },
  images: { max: 0 },
  videos: {
    max: 1,
    rule: {
      mimes: [
        'video/mp4',
        'video/quicktime',
        'video/webm',
        'video/x-msvideo',
        'video/mpeg',
        'video/3gpp',
        'video/x-flv',
      ],
      bytes: { min: 1, max: 256 * 1024 ** 3 },
      // Channels that were not verified by phone stop at 900 seconds; the channel does not tell (second-hand).
      seconds: { max: 43_200 },
    },
  },
  mixesMedia: false,
  needsMedia: true,
} as const satisfies Limits
