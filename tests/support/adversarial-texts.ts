import { type AST, RegExpParser } from '@eslint-community/regexpp'

const fill = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** Strings whose repetition is expensive for regular expressions and hand-written parsers. */
const pieces = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '<',
  '>',
  '.',
  '@',
  '#',
  '/',
  ':',
  '-',
  '_',
  '"',
  "'",
  '\\',
  '&',
  '%',
  '+',
  ',',
  ';',
  '=',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u00a0',
  'a',
  'A',
  '0',
  'é',
  'éé.',
  'a.',
  'a-',
  '1.',
  'a@',
  '@a.',
  '#a',
  '@[',
  '](',
  '{hashtag|#|',
  'http://',
  'https://a',
  'http://a.b ',
  'http://a.b/(',
  'HTTP://',
  'www.',
  '<<',
  '<a ',
  '<b>',
  '</',
  '<!--',
  '&amp;',
  '&#',
  '&lt',
  '%41',
  '\\u',
  '\u0300\u0316',
  '\u0316',
  '👍',
  '👨\u200d',
  '\u200d',
  '🏽',
  '🇩',
  '1\ufe0f\u20e3',
  '日',
  '한',
  'ᄀ',
  '\u202e',
  'İ',
  'ß',
  `.${'a'.repeat(63)}`,
  `${'a'.repeat(8)}.`,
  '[a]',
  'a[',
  'a=&',
  '{"a":',
  '["',
  ', ',
  'x,y;',
]

/** Texts of a given length, each with its description. */
export const attackTexts = (length: number): [what: string, text: string][] => [
  ...pieces.map((piece): [string, string] => [piece, fill(piece, length)]),
  ['an address and closing brackets', `https://a.com/${fill(')', length)}`.slice(0, length)],
  ['a host of many labels', `https://a${fill('.aaaaaaaa', length)}`.slice(0, length - 6).concat('.com/?')],
  ['accents in the wrong order', `a${fill('\u0300', length / 2)}${fill('\u0316', length)}`.slice(0, length)],
  ['tags that never close', fill('<a href="', length)],
  ['blanks around one letter', `${fill(' ', length / 2)}x${fill(' ', length)}`.slice(0, length)],
]

/** Texts against one expression: its start repeated, so that matches start everywhere and never complete. */
export function textsAgainst({ source, flags }: { source: string; flags: string }, length: number): string[] {
  const notation = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, notation)
  const flag = flags.includes('v') ? 'v' : flags.includes('u') ? 'u' : ''
  const samples = pattern.alternatives.slice(0, 8).map((alternative) => sampleOf(alternative, flag))
  const beginnings = samples.flatMap((sample) =>
    [1, 2, 3, 5, 8, 12, 20, sample.length].map((end) => sample.slice(0, end)),
  )
  const begun = [...new Set(beginnings)].filter((beginning) => beginning !== '')
  return begun.flatMap((piece) => [fill(piece, length), fill(piece, length - 1).concat('\0')])
}

/** A string the expression matches, as far as that is easy to derive; loops are repeated twice. */
function sampleOf({ elements }: AST.Alternative, flag: string): string {
  return elements.map((element) => elementSample(element, flag)).join('')
}

function elementSample(element: AST.Element, flag: string): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value)
    case 'Quantifier':
      return elementSample(element.element, flag).repeat(Math.min(Math.max(element.min, 2), element.max, 30))
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives[0] ? sampleOf(element.alternatives[0], flag) : ''
    case 'CharacterSet':
    case 'CharacterClass': {
      const matcher = new RegExp(`^${element.raw}$`, flag)
      return [...palette].find((sign) => matcher.test(sign)) ?? ''
    }
    default:
      return ''
  }
}

const palette = 'a1 .-/_@#:"<>()[]{}\\\n\té日👍\u0300\u200d,;=+*!?&%\'|~^$`'
