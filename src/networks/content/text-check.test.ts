import { expect, test } from 'vitest'
import { manifestOf, type Network } from '../manifests.ts'
import { type Content, commentProblems, contentProblems, messageProblems } from './content-check.ts'
import { clip, link, photo } from './valid.fixture.ts'

const x = (length: number) => 'x'.repeat(length)
const mediaFor = (network: Network) => (manifestOf(network).limits.needsMedia ? [clip()] : [])
const untitled = 'A post on YouTube needs a title, or a text whose first line can be one.'

test.each<[Network, Partial<Content>, string]>([
  ['Facebook', { text: x(63_207) }, 'The text counts 63207 characters on Facebook; 63206 is the most.'],
  ['Facebook', { text: '🤖'.repeat(31_604) }, 'The text counts 63208 characters on Facebook; 63206 is the most.'],
  ['Facebook', { text: '' }, 'The post is empty; Facebook needs a text, a link or media.'],
  ['Facebook', { text: ' \n\t' }, 'The post is empty; Facebook needs a text, a link or media.'],
  ['Facebook', { text: '', link: { url: '' } }, 'The post is empty; Facebook needs a text, a link or media.'],
  ['Instagram', { text: x(2201) }, 'The text counts 2201 characters on Instagram; 2200 is the most.'],
  ['Instagram', { text: '#a '.repeat(31) }, 'The text has 31 hashtags; Instagram takes 30 at most.'],
  ['Instagram', { text: '#größe#日本 '.repeat(16) }, 'The text has 32 hashtags; Instagram takes 30 at most.'],
  ['Instagram', { text: '@a.b '.repeat(21) }, 'The text has 21 mentions; Instagram takes 20 at most.'],
  ['Instagram', { text: 'me@acme.example '.repeat(21) }, 'The text has 21 mentions; Instagram takes 20 at most.'],
  ['Instagram', { media: [] }, 'A post on Instagram needs an image or a video.'],
  ['LinkedIn', { text: x(3001) }, 'The text counts 3001 characters on LinkedIn; 3000 is the most.'],
  [
    'LinkedIn',
    { text: `${x(2997)}@[Acme](urn:li:organization:2414183)` },
    'The text counts 3001 characters on LinkedIn; 3000 is the most.',
  ],
  ['LinkedIn', { text: '' }, 'The post is empty; LinkedIn needs a text, a link or media.'],
  ['Twitter', { text: x(281) }, 'The text counts 281 characters on X; 280 is the most.'],
  ['Twitter', { text: '日'.repeat(141) }, 'The text counts 282 characters on X; 280 is the most.'],
  ['Twitter', { text: '👨‍👩‍👧‍👦'.repeat(141) }, 'The text counts 282 characters on X; 280 is the most.'],
  ['Twitter', { text: `${x(257)} https://a.com` }, 'The text counts 281 characters on X; 280 is the most.'],
  ['Twitter', { text: x(257), link }, 'The text counts 281 characters on X; 280 is the most.'],
  ['Twitter', { text: `${x(257)} ${link.url}`, link }, 'The text counts 281 characters on X; 280 is the most.'],
  ['Twitter', { text: 'ü'.repeat(400_000) }, 'The text counts 400000 characters on X; 280 is the most.'],
  ['Twitter', { text: '' }, 'The post is empty; X needs a text, a link or media.'],
  ['YouTube', { text: x(5001) }, 'The text counts 5001 bytes on YouTube; 5000 is the most.'],
  ['YouTube', { text: 'ü'.repeat(2501) }, 'The text counts 5002 bytes on YouTube; 5000 is the most.'],
  ['YouTube', { text: 'a > b' }, 'YouTube takes no < and > in the text.'],
  ['YouTube', { title: 'a < b' }, 'YouTube takes no < and > in the title.'],
  ['YouTube', { title: x(101) }, 'The title counts 101 characters on YouTube; 100 is the most.'],
  ['YouTube', { text: '' }, untitled],
  ['YouTube', { text: ' \r\n ', title: ' ' }, untitled],
  ['YouTube', { media: [] }, 'A post on YouTube needs a video.'],
  ['TikTok', { text: x(2201) }, 'The text counts 2201 characters on TikTok; 2200 is the most.'],
  ['TikTok', { text: x(4001), media: [photo()] }, 'The text counts 4001 characters on TikTok; 4000 is the most.'],
  ['TikTok', { title: x(91), media: [photo()] }, 'The title counts 91 characters on TikTok; 90 is the most.'],
  ['TikTok', { media: [] }, 'A post on TikTok needs an image or a video.'],
])('%s: invalid text in a post is reported with the violated rule (%#)', (network, more, sentence) => {
  expect(contentProblems(network, { text: 'Robots', media: mediaFor(network), ...more })).toEqual([sentence])
})

test('every violated rule is reported', () => {
  const content = { text: '<'.repeat(5001), title: `${x(100)}>`, link, media: [] }
  expect(contentProblems('YouTube', content)).toEqual([
    'The text counts 5001 bytes on YouTube; 5000 is the most.',
    'YouTube takes no < and > in the text.',
    'The title counts 101 characters on YouTube; 100 is the most.',
    'YouTube takes no < and > in the title.',
    'A post on YouTube needs a video.',
    'YouTube shows no link attachments; put the address into the text instead.',
  ])
})

test.each<[Network, string, string]>([
  ['Facebook', x(8001), 'The comment counts 8001 characters on Facebook; 8000 is the most.'],
  ['Instagram', x(2201), 'The comment counts 2201 characters on Instagram; 2200 is the most.'],
  ['LinkedIn', x(1251), 'The comment counts 1251 characters on LinkedIn; 1250 is the most.'],
  ['Twitter', `${x(257)} https://a.com`, 'The comment counts 281 characters on X; 280 is the most.'],
  ['YouTube', x(10_001), 'The comment counts 10001 characters on YouTube; 10000 is the most.'],
  ['TikTok', x(151), 'The comment counts 151 characters on TikTok; 150 is the most.'],
  ['TikTok', 'see https://a.com', 'TikTok takes no links in the comment.'],
  ['Facebook', ' ', 'The comment is empty; it needs a text.'],
])('%s: an invalid comment is reported with the violated rule (%#)', (network, text, sentence) => {
  expect(commentProblems(network, text)).toEqual([sentence])
})

test.each<[Network, string, string]>([
  ['Facebook', x(2001), 'The message counts 2001 characters on Facebook; 2000 is the most.'],
  ['LinkedIn', x(8001), 'The message counts 8001 characters on LinkedIn; 8000 is the most.'],
  ['Twitter', x(10_001), 'The message counts 10001 characters on X; 10000 is the most.'],
  ['Twitter', '\n', 'The message is empty; it needs a text.'],
  ['Instagram', 'Hello', 'Direct messages cannot be sent on Instagram.'],
  ['YouTube', 'Hello', 'Direct messages cannot be sent on YouTube.'],
  ['TikTok', 'Hello', 'Direct messages cannot be sent on TikTok.'],
])('%s: an invalid direct message is reported with the violated rule (%#)', (network, text, sentence) => {
  expect(messageProblems(network, text)).toEqual([sentence])
})

test.each<[Network, number]>([
  ['Facebook', 8000],
  ['Instagram', 2200],
  ['LinkedIn', 1250],
  ['Twitter', 280],
  ['YouTube', 10_000],
  ['TikTok', 150],
])('%s accepts a comment of %i characters', (network, length) => {
  expect(commentProblems(network, x(length))).toEqual([])
})

test.each<[Network, number]>([
  ['Facebook', 2000],
  ['LinkedIn', 8000],
  ['Twitter', 10_000],
])('%s accepts a direct message of %i characters', (network, length) => {
  expect(messageProblems(network, x(length))).toEqual([])
})

test('a LinkedIn comment is counted as displayed', () => {
  expect(commentProblems('LinkedIn', `${x(1246)}@[Acme](urn:li:organization:2414183)`)).toEqual([])
})

test('a profile with a paid plan may write longer posts', () => {
  const facts = { kind: 'account', tier: 'premium', scopes: [], options: {} } as const
  const limits = manifestOf('Twitter').limitsOf?.(facts)
  expect(contentProblems('Twitter', { text: x(281), media: [] }, limits)).toEqual([])
  expect(commentProblems('Twitter', x(281), limits)).toEqual([])
  expect(contentProblems('Twitter', { text: x(25_001), media: [] }, limits)).toEqual([
    'The text counts 25001 characters on X; 25000 is the most.',
  ])
})
