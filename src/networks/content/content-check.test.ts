import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectedNetworks, manifestOf, type Network } from '../manifests.ts'
import { isAcceptedByConnector } from './connectors.fixture.ts'
import { type Content, commentProblems, contentProblems, messageProblems } from './content-check.ts'
import { clip, link, paper, photo, validContents } from './valid.fixture.ts'

const valid = connectedNetworks.flatMap((network) => validContents[network].map((content) => ({ network, content })))

test.each(valid)('$network accepts valid content (%#)', ({ network, content }) => {
  expect(contentProblems(network, content)).toEqual([])
})

test.each(valid)('$network: the connector accepts content without problems (%#)', async ({ network, content }) => {
  expect(await isAcceptedByConnector(network, content)).toBe(true)
})

test.each(connectedNetworks)(
  '%s: the content check reports a problem exactly when the connector rejects the text',
  async (network) => {
    const media = fc.constantFrom(...mediaFor(network))
    await fc.assert(
      fc.asyncProperty(nearLimit(network), fc.option(words, { nil: undefined }), media, async (text, title, file) => {
        const content = { text, title, media: file ? [file] : [] }
        expect(contentProblems(network, content).length === 0).toBe(await isAcceptedByConnector(network, content))
      }),
      { numRuns: 300 },
    )
  },
)

test.each(connectedNetworks)('%s: appending text never fixes a problem', (network) => {
  const [file] = mediaFor(network)
  const media = file ? [file] : []
  // On X a letter can merge adjacent URLs or split one, so the parts are separated there.
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

test('the content check returns sentences for arbitrary text and files', () => {
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

/** One file of each kind the network accepts, required kinds first. */
function mediaFor(network: Network) {
  const { needsMedia, images, document } = manifestOf(network).limits
  const files = [clip(), ...(images.max > 0 ? [photo()] : []), ...(document ? [paper()] : [])]
  return needsMedia ? [...files, undefined] : [undefined, ...files]
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

/** Texts slightly below and above the limit, and short ones. */
function nearLimit(network: Network) {
  const { max } = manifestOf(network).limits.text
  const long = fc.tuple(fc.integer({ min: -80, max: 2 }), words).map(([off, end]) => 'x'.repeat(max + off) + end)
  return fc.oneof(words, long)
}

const textProblems = (network: Network, content: Content) =>
  contentProblems(network, content).filter((sentence) => /^The text |in the text\.$/.test(sentence))
