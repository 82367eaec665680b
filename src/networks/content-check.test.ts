import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Content, commentProblems, contentProblems, messageProblems } from './content-check.ts'
import { isTakenByConnector } from './content-connectors.fixture.ts'
import { clip, link, paper, photo } from './content-files.fixture.ts'
import { contentRules } from './content-rules.ts'
import { validContents } from './content-valid.fixture.ts'
import { connectedNetworks, type Network } from './network.ts'

const valid = connectedNetworks.flatMap((network) => validContents[network].map((content) => ({ network, content })))

test.each(valid)('$network takes what is valid (%#)', ({ network, content }) => {
  expect(contentProblems(network, content)).toEqual([])
})

test.each(valid)('$network: what has no problem is refused by no connector (%#)', ({ network, content }) => {
  expect(isTakenByConnector(network, content)).toBe(true)
})

test.each(connectedNetworks)('%s: words have a problem exactly when the connector refuses them', (network) => {
  const media = fc.constantFrom(...mediaFor[network])
  fc.assert(
    fc.property(nearLimit(network), fc.option(words, { nil: undefined }), media, (text, title, file) => {
      const content = { text, title, media: file ? [file] : [] }
      expect(contentProblems(network, content).length === 0).toBe(isTakenByConnector(network, content))
    }),
    { numRuns: 300 },
  )
})

test.each(connectedNetworks)('%s: more words never cure what is wrong with a text', (network) => {
  const [file] = mediaFor[network]
  const media = file ? [file] : []
  // On X a letter can make one address of many letters, or none of one: there the words that follow stand apart.
  const between = network === 'Twitter' ? ' ' : ''
  fc.assert(
    fc.property(nearLimit(network), words, (text, more) => {
      const before = textProblems(network, { text, media })
      const after = textProblems(network, { text: text + between + more, media })
      expect(after.length).toBeGreaterThanOrEqual(before.length)
    }),
    { numRuns: 300 },
  )
})

test('whatever the words and files are, the check answers in sentences', () => {
  const units = fc.array(fc.nat(0xffff), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes))
  const anyText = fc.oneof(units, fc.string({ unit: 'binary', maxLength: 60 }), words)
  const file = fc.record({ name: anyText, mime: anyText, bytes: fc.double(), width: fc.double(), pages: fc.double() })
  const media = fc.array(
    fc.tuple(fc.constantFrom(photo(), clip(), paper()), file).map(([known, odd]) => ({ ...known, ...odd })),
    { maxLength: 3 },
  )
  const content = fc.record({ text: anyText, title: anyText, link: fc.constantFrom(undefined, link), media })
  fc.assert(
    fc.property(fc.constantFrom(...connectedNetworks), content, (network, odd) => {
      const told = [
        contentProblems(network, odd),
        commentProblems(network, odd.text),
        messageProblems(network, odd.text),
      ]
      expect(told.flat().every((sentence) => sentence.endsWith('.'))).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

const mediaFor = {
  Facebook: [undefined, photo(), clip()],
  Instagram: [photo(), clip(), undefined],
  LinkedIn: [undefined, paper(), photo()],
  Twitter: [undefined, photo(), clip()],
  YouTube: [clip(), undefined],
  TikTok: [clip(), photo(), undefined],
}

const pieces = [
  'x',
  ' ',
  '\n',
  '\r\n',
  '#a',
  '#1 ',
  '@b ',
  '<',
  'é',
  '日',
  '🤖',
  '👍🏽',
  'acme.com',
  ' https://a.com/',
  '(',
]
const words = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 60 })

/** Texts that are a little shorter or longer than allowed, and short ones. */
function nearLimit(network: Network) {
  const { max } = contentRules[network].limits.text
  const long = fc.tuple(fc.integer({ min: -80, max: 2 }), words).map(([off, end]) => 'x'.repeat(max + off) + end)
  return fc.oneof(words, long)
}

const textProblems = (network: Network, content: Content) =>
  contentProblems(network, content).filter((sentence) => /^The text |in the text\.$/.test(sentence))
