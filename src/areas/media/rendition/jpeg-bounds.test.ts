import { expect, test } from 'vitest'
import { manifestOf } from '#networks/manifests.ts'
import { jpegBounds } from './rendition.ts'

const picture = (mimeType: string, size = 1000, more: { frames?: number; width?: number; height?: number } = {}) => ({
  mimeType,
  size,
  width: 800,
  height: 600,
  frames: 1,
  ...more,
})
const [instagram, facebook, linkedIn, x, tikTok] = (
  ['Instagram', 'Facebook', 'LinkedIn', 'Twitter', 'TikTok'] as const
).map((network) => manifestOf(network).limits.images.rule)
const million = 1_000_000

test.each([
  ['a JPEG for Instagram', picture('image/jpeg'), instagram],
  ['a PNG for Facebook', picture('image/png', 10 * million), facebook],
  ['a GIF for X, which has a size of its own', picture('image/gif', 14 * million), x],
  ['a moving GIF for X', picture('image/gif', 14 * million, { frames: 9 }), x],
  ['a moving GIF that Instagram does not take at all', picture('image/gif', 1000, { frames: 2 }), instagram],
  ['a moving GIF that is too large', picture('image/gif', 20 * million, { frames: 2 }), x],
  ['a video', { ...picture('video/mp4', 900 * million), frames: null }, instagram],
  ['a PDF', { ...picture('application/pdf', 900 * million), frames: null, width: null, height: null }, instagram],
  ['a picture where there is no rule', picture('image/png'), undefined],
])('%s stays unchanged', (_what, asset, rule) => {
  expect(jpegBounds(asset, rule)).toBeUndefined()
})

test.each([
  ['a PNG for Instagram', picture('image/png'), instagram, 8 * 1024 * 1024],
  ['a still GIF for Instagram', picture('image/gif'), instagram, 8 * 1024 * 1024],
  ['a JPEG of one byte too many', picture('image/jpeg', 10 * million + 1), facebook, 10 * million],
  ['a still GIF that is too large for X', picture('image/gif', 15 * million + 1), x, 5 * million],
])('%s becomes a JPEG', (_what, asset, rule, maxBytes) => {
  expect(jpegBounds(asset, rule)).toEqual({ maxBytes, maxWidth: 800 })
})

test.each([
  [1080, 1920, undefined],
  [1920, 1080, undefined],
  [3000, 2000, 1620],
  [2000, 3000, 1080],
  [9000, 900, 1920],
  [1080, 1921, 1079],
])('of %i × %i pixels TikTok gets an image %i wide', (width, height, wanted) => {
  const { maxWidth } = jpegBounds(picture('image/jpeg', 1000, { width, height }), tikTok) ?? {}
  expect(maxWidth).toBe(wanted)
})

test.each([
  [8000, 6000],
  [6000, 8000],
  [49_999, 1000],
  [1000, 49_999],
  [6013, 6013],
])('of %i × %i pixels no more are left than the network accepts, and hardly fewer', (width, height) => {
  const most = Number(linkedIn?.maxPixels)
  const { maxWidth = 0 } = jpegBounds(picture('image/jpeg', 1000, { width, height }), linkedIn) ?? {}
  const pixels = maxWidth * Math.round((height * maxWidth) / width)
  expect(pixels).toBeLessThanOrEqual(most)
  expect(pixels).toBeGreaterThan(most * 0.99)
})
