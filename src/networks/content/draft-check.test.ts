import { expect, test } from 'vitest'
import type { MediaRef } from '../connector/draft.ts'
import type { Network } from '../manifests.ts'
import { rejectInvalidComment, rejectInvalidMessage, rejectInvalidPost } from './draft-check.ts'

const mimes = { png: 'image/png', gif: 'image/gif', mp4: 'video/mp4', pdf: 'application/pdf' }

/** A file as passed to a connector. */
const sent = (kind: keyof typeof mimes, more: Partial<MediaRef> = {}): MediaRef => ({
  id: kind,
  mime: mimes[kind],
  bytes: 100_000,
  publicUrl: '',
  name: `sample.${kind}`,
  open: () => {
    throw new Error('Nothing is read.')
  },
  ...more,
})

test.each<[Network, MediaRef[], string]>([
  ['Facebook', [sent('png'), sent('png')], 'The comment has 2 images; Facebook takes 1 at most.'],
  ['Facebook', [sent('mp4')], 'sample.mp4 is a video; Facebook takes none in a comment.'],
  ['LinkedIn', [sent('pdf')], 'sample.pdf is a PDF; LinkedIn takes none in a comment.'],
  ['LinkedIn', [sent('png', { bytes: 5_000_001 })], 'sample.png has 5.01 MB; LinkedIn takes 5 MB at most.'],
  ['Twitter', [sent('gif'), sent('png')], 'sample.gif is a GIF, which stands alone on X; this comment has 2 files.'],
  ['Twitter', [sent('png'), sent('mp4')], 'The comment has images and videos; X takes one kind in a comment.'],
  ['TikTok', [sent('gif')], 'sample.gif is image/gif; TikTok takes image/jpeg, image/png, image/webp.'],
])('%s: a comment with invalid media is rejected with this message (%#)', (network, media, sentence) => {
  expect(() => rejectInvalidComment(network, 'Robots', media)).toThrow(expect.objectContaining({ message: sentence }))
})

test.each<[Network, string, MediaRef[], string]>([
  ['LinkedIn', '', [sent('png')], 'The message is empty; it needs a text.'],
  ['LinkedIn', 'Hi', [sent('mp4')], 'sample.mp4 is a video; LinkedIn takes none in a message.'],
  ['Twitter', '', [sent('png'), sent('png')], 'The message has 2 images; X takes 1 at most.'],
])('%s: a direct message with invalid media is rejected with this message (%#)', (network, text, media, sentence) => {
  expect(() => rejectInvalidMessage(network, text, media)).toThrow(expect.objectContaining({ message: sentence }))
})

test('direct messages accept media that comments reject', () => {
  rejectInvalidMessage('LinkedIn', 'Two papers', [sent('pdf'), sent('pdf'), sent('png')])
  rejectInvalidMessage('Twitter', '', [sent('mp4')])
  rejectInvalidMessage('Facebook', '', [sent('pdf'), sent('mp4')])
  rejectInvalidComment('TikTok', '', [sent('png')])
})

test('files that are sent without conversion are checked against the limits without conversion', () => {
  const post = (...media: MediaRef[]) => ({ text: 'Robots', media })
  expect(() => rejectInvalidPost('Instagram', post(sent('png')))).toThrow(
    'sample.png is image/png; Instagram takes image/jpeg.',
  )
  expect(() => rejectInvalidPost('Twitter', post(sent('png', { alt: 'a'.repeat(1001) })))).toThrow(
    'sample.png has a description of 1001 characters; X takes a description of 1000 characters at most.',
  )
  // Animation isn't known here, so X's size limit for GIFs applies.
  rejectInvalidPost('Twitter', post(sent('gif', { bytes: 15_000_000 })))
  expect(() => rejectInvalidPost('Twitter', post(sent('gif', { bytes: 15_000_001 })))).toThrow('X takes 15 MB at most.')
})

test('all problems are reported, and an unsupported feature determines the fault', () => {
  const problems = { text: 'x'.repeat(281), media: [sent('pdf')], reshareOf: '1' }
  expect(() => rejectInvalidPost('Twitter', problems)).toThrow(
    expect.objectContaining({
      fault: { kind: 'permanent', why: 'unsupported' },
      message:
        'The text counts 281 characters on X; 280 is the most. sample.pdf is a PDF; X takes none. Posts cannot be shared again on X.',
    }),
  )
})
