import { expect, test } from 'vitest'
import { checkExpressions } from '../../scripts/expressions/complaints.ts'
import { type Expression, expressionsIn, sourceFiles } from '../../scripts/expressions/find.ts'
import { slownessOf } from '../../scripts/expressions/judge.ts'
import { attackTexts, textsAgainst } from '../support/adversarial-texts.ts'

const judged = ({ source, flags }: RegExp) => slownessOf({ source, flags })

test.each([
  /^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]*[a-z][a-z0-9-]*)+\/([\w~-][\w.~-]*\/)*([\w~-][\w.~-]*)?$/,
  /(a+)+b/,
  /^(\w+\s?)*$/,
])('%s takes exponential time', (expression) => {
  expect(judged(expression)).toContain('exponential')
})

test.each([
  /\/+$/,
  /[^.]*$/,
  /[.,!?:;'’”»…]+$/u,
  /(\d+)\)?$/,
  /\s*(?:-|–|TO)\s*/,
  /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
  /<entry>(.*?)<\/entry>/gs,
  /<at:deleted-entry\s([^>]*)>/g,
  /entity:(urn:li:.+)\)$/,
  /@\[((?:[^\]\\]|\\.)*)\]\(urn:li:\w+:[^)]+\)/g,
  /conversion\.js([?#].*)?$/,
])('%s takes time with the square of the text', (expression) => {
  expect(judged(expression)).toContain('square')
})

test.each([
  /^https?:\/\/(?<host>[a-z0-9.-]+)(?<path>\/[\w.~/-]*)$/,
  /@[\w.]+/g,
  /"(?:[^"\\]|\\.)*"?/g,
  /<[^<>]*>/g,
  /https?:\/\//gi,
  /\.[^.]{1,16}$/,
])('%s takes time in proportion', (expression) => {
  expect(judged(expression)).toBeUndefined()
})

test('expressions are found wherever they stand: as literals, made of texts, in scripts for browsers', () => {
  const sign = '$'
  const source = `
    const word = 'a+'
    const one = /x{2}[/]/gi
    const two = new RegExp(\`^\${word}${sign}\`, 'u')
    const three = RegExp(['b', 'c'].join('|'))
    const script = ${'`'}(function () { return /d/.test(location) })()${'`'}
    const four = new RegExp(name)`.replaceAll('\\$', '$')
  const { expressions, unknown } = expressionsIn('example.ts', source)
  expect(expressions.map(({ location: place, source, flags }) => `${place} ${source} ${flags}`.trim())).toEqual([
    'example.ts:3 x{2}[/] gi',
    'example.ts:4 ^a+$ u',
    'example.ts:5 b|c',
    'example.ts:6:1 d',
  ])
  expect(unknown).toEqual(['example.ts:7'])
})

const { expressions: all, complaints } = checkExpressions(sourceFiles())
/** Duplicates count once. */
const different = [
  ...new Map(all.map((expression) => [`/${expression.source}/${expression.flags}`, expression])).values(),
]

test('every expression of the program takes time in proportion to the text, and none is put together while it runs', () => {
  expect(complaints).toEqual([])
})

test('no expression of the program takes more than proportionally longer for a text of twice the length', () => {
  expect(all.length).toBeGreaterThan(250)
  const general = attackTexts(20_000).map(([, text]) => text)
  const against = (expression: Expression, length: number, texts = attackTexts(length).map(([, text]) => text)) => [
    ...texts,
    ...textsAgainst(expression, length),
  ]
  for (const expression of different) {
    for (const [index, text] of against(expression, 20_000, general).entries()) {
      // Too short to compare; an expression with quadratic time is never this fast at such a length.
      if (timeOf(expression, text) < 40 || shortestOf(expression, text) < 40) continue
      const shorter = against(expression, 10_000)[index] ?? ''
      const grown = shortestOf(expression, text) / shortestOf(expression, shorter)
      expect(
        grown,
        `${expression.location} /${expression.source}/ on ${JSON.stringify(text.slice(0, 40))}`,
      ).toBeLessThan(3)
    }
  }
}, 120_000)

/** On a busy machine the shortest of several measurements is the most accurate. */
const shortestOf = (expression: Expression, text: string) => Math.min(...[1, 2, 3].map(() => timeOf(expression, text)))

/** Milliseconds to find all matches. */
function timeOf({ source, flags }: Expression, text: string): number {
  const everywhere = new RegExp(source, flags.includes('g') ? flags : `${flags}g`)
  const begun = performance.now()
  text.replace(everywhere, '')
  return performance.now() - begun
}
