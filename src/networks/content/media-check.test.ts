import { expect, test } from 'vitest'
import type { ImageInspection } from '#kernel/media-inspector/inspection.ts'
import type { Network } from '../manifests.ts'
import { type Content, contentProblems } from './content-check.ts'
import { convertibleTypes } from './media-check.ts'
import { clip, drawing, link, loop, paper, photo, stillGif, times } from './valid.fixture.ts'

const noLink = (network: string) => `${network} shows no link attachments; put the address into the text instead.`
const either = 'The post has a link attachment and media; it takes one of the two.'
const oneKind = (network: string) => `The post has images and videos; ${network} takes one kind in a post.`
const vector = photo({ mime: 'image/svg+xml', name: 'logo.svg' })

test.each<[Network, Content['media'], string]>([
  ['Facebook', times(19, photo), 'The post has 19 images; Facebook takes 18 at most.'],
  ['Facebook', [clip(), clip()], 'The post has 2 videos; Facebook takes 1 at most.'],
  ['Facebook', [photo(), clip()], oneKind('Facebook')],
  ['Facebook', [paper()], 'paper.pdf is a PDF; Facebook takes none.'],
  ['Facebook', [loop({ bytes: 10_000_001 })], 'loop.gif has 10.01 MB; Facebook takes 10 MB at most.'],
  ['Facebook', [vector], 'logo.svg is image/svg+xml; Facebook takes image/jpeg, image/png, image/gif.'],
  ['Facebook', [clip({ seconds: 14_401 })], 'clip.mp4: The video lasts 14401 s; the maximum is 14400 s.'],
  ['Facebook', [clip({ videoCodec: 'hevc' })], 'clip.mp4: The video codec is hevc; allowed is h264.'],
  ['Facebook', [{ ...vector, name: ' ' }], 'A file is image/svg+xml; Facebook takes image/jpeg, image/png, image/gif.'],
  [
    'TikTok',
    [photo({ mime: 'image/webp', name: 'photo.webp', width: 1081, height: 1081 })],
    'photo.webp has 1081 × 1081 pixels; TikTok takes 1920 × 1080 or 1080 × 1920 at most.',
  ],
  ['Instagram', times(11, photo), 'The post has 11 images; Instagram takes 10 at most.'],
  ['Instagram', times(11, clip), 'The post has 11 videos; Instagram takes 10 at most.'],
  [
    'Instagram',
    [...times(6, photo), ...times(5, clip)],
    'The post has 11 images and videos; Instagram takes 10 at most.',
  ],
  ['Instagram', [paper()], 'paper.pdf is a PDF; Instagram takes none.'],
  ['Instagram', [loop()], 'loop.gif is a moving image of 12 frames; Instagram takes still ones only.'],
  [
    'Instagram',
    [photo({ height: 1920 })],
    'photo.jpg has an aspect ratio of 0.56:1; the minimum on Instagram is 0.8:1.',
  ],
  [
    'Instagram',
    [drawing({ width: 2000, height: 1000 })],
    'drawing.png has an aspect ratio of 2:1; the maximum on Instagram is 1.91:1.',
  ],
  ['Instagram', [clip({ seconds: 2 })], 'clip.mp4: The video lasts 2 s; the minimum is 3 s.'],
  ['Instagram', [clip({ width: 1921 })], 'clip.mp4: The width is 1921 pixels; the maximum is 1920 pixels.'],
  [
    'Instagram',
    [clip({ framesPerSecond: 15 })],
    'clip.mp4: The video has 15 frames per second; the minimum is 23 frames per second.',
  ],
  ['LinkedIn', times(10, photo), 'The post has 10 images; LinkedIn takes 9 at most.'],
  ['LinkedIn', [clip(), clip()], 'The post has 2 videos; LinkedIn takes 1 at most.'],
  ['LinkedIn', [photo(), clip()], oneKind('LinkedIn')],
  ['LinkedIn', [paper(), photo()], 'paper.pdf is a PDF, which stands alone on LinkedIn; this post has 2 files.'],
  ['LinkedIn', [paper(), paper()], 'paper.pdf is a PDF, which stands alone on LinkedIn; this post has 2 files.'],
  ['LinkedIn', [paper({ bytes: 100_000_001 })], 'paper.pdf has 100.01 MB; LinkedIn takes 100 MB at most.'],
  ['LinkedIn', [paper({ pages: 301 })], 'paper.pdf has 301 pages; LinkedIn takes 300 pages at most.'],
  [
    'LinkedIn',
    [paper({ mime: 'text/plain', name: 'paper.txt' })],
    'paper.txt is text/plain; LinkedIn takes application/pdf.',
  ],
  ['LinkedIn', [loop({ bytes: 5_500_000 })], 'loop.gif has 5.5 MB; LinkedIn takes 5 MB at most.'],
  [
    'LinkedIn',
    [loop({ width: 8000, height: 5000 })],
    'loop.gif has 40000000 pixels; LinkedIn takes 36152319 pixels at most.',
  ],
  [
    'LinkedIn',
    [clip({ mime: 'video/quicktime' })],
    'clip.mp4: The file type is video/quicktime; allowed is video/mp4.',
  ],
  ['LinkedIn', [clip({ bytes: 500_500_000 })], 'clip.mp4: The file has 500.5 MB; the maximum is 500 MB.'],
  ['Twitter', times(5, photo), 'The post has 5 images; X takes 4 at most.'],
  ['Twitter', [clip(), clip()], 'The post has 2 videos; X takes 1 at most.'],
  ['Twitter', [photo(), clip()], oneKind('X')],
  ['Twitter', [photo(), loop()], 'loop.gif is a GIF, which stands alone on X; this post has 2 files.'],
  ['Twitter', [stillGif(), photo()], 'still.gif is a GIF, which stands alone on X; this post has 2 files.'],
  ['Twitter', [loop(), clip()], 'loop.gif is a GIF, which stands alone on X; this post has 2 files.'],
  ['Twitter', [loop({ bytes: 15_000_001 })], 'loop.gif has 15.01 MB; X takes 15 MB at most.'],
  ['Twitter', [photo({ mime: 'image/webp', bytes: 6_000_000 })], 'photo.jpg has 6 MB; X takes 5 MB at most.'],
  ['Twitter', [paper()], 'paper.pdf is a PDF; X takes none.'],
  ['Twitter', [clip({ seconds: 163 })], 'clip.mp4: The video lasts 163 s; the maximum is 140 s.'],
  ['Twitter', [clip({ width: 1000, height: 300 })], 'clip.mp4: The aspect ratio is 3.33:1; the maximum is 3:1.'],
  ['YouTube', [photo()], 'photo.jpg is an image; YouTube takes none.'],
  ['YouTube', [clip(), photo({ type: 'ImageUrl' })], 'photo.jpg is an image; YouTube takes none.'],
  ['YouTube', [paper()], 'paper.pdf is a PDF; YouTube takes none.'],
  ['YouTube', [clip(), clip()], 'The post has 2 videos; YouTube takes 1 at most.'],
  ['YouTube', [clip({ seconds: 43_201 })], 'clip.mp4: The video lasts 43201 s; the maximum is 43200 s.'],
  ['TikTok', times(36, photo), 'The post has 36 images; TikTok takes 35 at most.'],
  ['TikTok', [clip(), clip()], 'The post has 2 videos; TikTok takes 1 at most.'],
  ['TikTok', [photo(), clip()], oneKind('TikTok')],
  ['TikTok', [loop()], 'loop.gif is a moving image of 12 frames; TikTok takes still ones only.'],
  ['TikTok', [paper()], 'paper.pdf is a PDF; TikTok takes none.'],
  ['TikTok', [vector], 'logo.svg is image/svg+xml; TikTok takes image/jpeg, image/webp.'],
  ['TikTok', [clip({ height: 359 })], 'clip.mp4: The height is 359 pixels; the minimum is 360 pixels.'],
])('%s: invalid media in a post is reported with the violated rule (%#)', (network, media, sentence) => {
  expect(contentProblems(network, { text: 'Robots', media })).toEqual([sentence])
})

test.each<[Network, Content['media'], string]>([
  ['Instagram', [photo()], noLink('Instagram')],
  ['YouTube', [clip()], noLink('YouTube')],
  ['TikTok', [clip()], noLink('TikTok')],
  ['Facebook', [photo()], either],
  ['LinkedIn', [paper()], either],
  ['Twitter', [clip()], either],
])('%s: a post with a link attachment and media is rejected', (network, media, sentence) => {
  expect(contentProblems(network, { text: 'Robots', media, link })).toEqual([sentence])
})

test('problems are reported per file', () => {
  const media = [photo({ name: 'tall.jpg', height: 5000 }), clip({ seconds: 1, audioCodec: 'mp3' }), loop(), paper()]
  expect(contentProblems('Instagram', { text: 'Robots', media })).toEqual([
    'tall.jpg has an aspect ratio of 0.22:1; the minimum on Instagram is 0.8:1.',
    'clip.mp4: The video lasts 1 s; the minimum is 3 s.',
    'clip.mp4: The audio codec is mp3; allowed is aac.',
    'loop.gif is a moving image of 12 frames; Instagram takes still ones only.',
    'paper.pdf is a PDF; Instagram takes none.',
  ])
})

test('the service can decode every image type that it converts', () => {
  // The compiler compares the two lists.
  const readable: readonly ImageInspection['mime'][] = convertibleTypes
  for (const mime of readable)
    expect(contentProblems('Instagram', { text: '', media: [photo({ mime, bytes: 30_000_000 })] })).toEqual([])
})
