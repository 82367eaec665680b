import type { Limits } from '../limits.ts'

export const limits = {
  text: { max: 3_000, unit: 'utf16' },
  // Of a document.
  title: { max: 400, unit: 'utf16' },
  // Second-hand: two sources say 1,250, one says 3,000.
  comment: { max: 1_250, unit: 'utf16' },
  // From memory.
  message: { max: 8_000, unit: 'utf16' },
  // From memory.
  altText: 4_086,
  images: {
    // The network takes 20, the contract 9.
    max: 9,
    rule: {
      mimes: ['image/jpeg', 'image/png', 'image/gif'],
      // Second-hand.
      maxBytes: 5_000_000,
      maxPixels: 36_152_319,
    },
  },
  videos: {
    max: 1,
    rule: {
      mimes: ['video/mp4'],
      bytes: { min: 75_000, max: 500_000_000 },
      seconds: { min: 3, max: 1_800 },
      aspect: { min: 0.417, max: 2.4 },
      videoCodecs: ['h264'],
      audioCodecs: ['aac'],
    },
  },
  document: { mimes: ['application/pdf'], maxBytes: 100_000_000, maxPages: 300 },
  mixesMedia: false,
  needsMedia: false,
} satisfies Limits
