import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { isDisjointWith, JS, NFA } from 'refa'
import { analyse } from 'scslre'
import type { Expression } from './find.ts'

/** Why the expression takes superlinear time; undefined if it does not. */
export function slownessOf({ source, flags }: Pick<Expression, 'source' | 'flags'>): string | undefined {
  const [report] = analyse({ source, flags }).reports
  if (report?.exponential) return `takes exponential time with many ${report.character.literal.source}`
  if (report) return `takes time with the square of a run of ${report.character.literal.source}`
  const loop = restartingLoop(source, flags)
  return loop && `begins anew inside ${loop}: takes time with the square of the text`
}

/**
 * A search that starts at every position and from each runs through a loop in which another match could have started, as `<a>.*<b>` does on
 * many `<a>`. The analysis above only covers repeated single characters.
 */
function restartingLoop(source: string, flags: string): string | undefined {
  if (flags.includes('y')) return undefined
  const notation = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, notation)
  for (const alternative of pattern.alternatives) {
    const [first] = alternative.elements
    if (first?.type === 'Assertion' && first.kind === 'start' && !flags.includes('m')) continue
    for (const loop of loopsIn(alternative)) if (restarts(loop, flags)) return loop.raw
  }
  return undefined
}

function* loopsIn(alternative: AST.Alternative): Generator<AST.Quantifier> {
  for (const element of alternative.elements) {
    if (element.type === 'Quantifier' && element.max === Number.POSITIVE_INFINITY) yield element
    const inner = element.type === 'Quantifier' ? element.element : element
    if ('alternatives' in inner)
      for (const part of inner.alternatives) if (part.type === 'Alternative') yield* loopsIn(part)
  }
}

function restarts(loop: AST.Quantifier, flags: string): boolean {
  const before = surrounding(loop, 'before')
  // A loop whose continuation can't fail never restarts.
  if (before === '' || acceptsEmpty(surrounding(loop, 'after'), flags)) return false
  const body = `(?:${loop.element.raw})*`
  return !isDisjointWith(automatonOf(body, flags), automatonOf(`[^]*?(?:${before})${body}`, flags))
}

/** The source matched before or after an element, up to the root of the expression. */
function surrounding(element: AST.Element, side: 'before' | 'after'): string {
  let source = ''
  for (let at: AST.Node | null = element; at; at = at.parent) {
    if (at.parent?.type !== 'Alternative') continue
    const { elements } = at.parent
    const index = elements.indexOf(at as AST.Element)
    const part = (side === 'before' ? elements.slice(0, index) : elements.slice(index + 1))
      .map(({ raw }) => raw)
      .join('')
    source = side === 'before' ? part + source : source + part
  }
  return source
}

/** Whether it always matches the empty string; lookarounds count as able to fail. */
const acceptsEmpty = (source: string, flags: string) => source === '' || automatonOf(source, flags, 'disable').test([])

function automatonOf(source: string, flags: string, assertions: 'ignore' | 'disable' = 'ignore'): NFA {
  const plain = source.replaceAll(/\(\?<[A-Za-z]\w*>/g, '(')
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source: plain, flags }).parse({ assertions })
  return NFA.fromRegex(expression, { maxCharacter })
}
