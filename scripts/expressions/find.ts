import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A regular expression in a source file. */
export interface Expression {
  /** File and line. */
  location: string
  source: string
  flags: string
}

export interface Found {
  expressions: Expression[]
  /** Locations of expressions built from values known only at run time. */
  unknown: string[]
}

/** All source files of the program. Tests and fixtures are excluded: they only match their own texts. */
export const sourceFiles = () =>
  ['src', 'sandbox', 'bin', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs)$/.test(name) && !/\.(test|fixture)\.ts$/.test(name))
      .map((name) => join(folder, name)),
  )

/** All regular expressions of a file: literals, and those built from constants of the same file. */
export function expressionsIn(file: string, text = readFileSync(file, 'utf8')): Found {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Found = { expressions: [], unknown: [] }
  const texts = constantsIn(parsed)
  const locationOf = (node: ts.Node) => `${file}:${parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.expressions.push({
        location: locationOf(node),
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
      })
    } else if (isMaking(node)) {
      const [source, flags = ''] = (node.arguments ?? []).map((argument) => textOf(argument, texts))
      if (source === undefined || flags === undefined) found.unknown.push(locationOf(node))
      else found.expressions.push({ location: locationOf(node), source, flags })
    } else if (ts.isNoSubstitutionTemplateLiteral(node) && node.text.startsWith('(function')) {
      // A browser script embedded as a string.
      const inside = expressionsIn(locationOf(node), node.text)
      found.expressions.push(...inside.expressions)
      found.unknown.push(...inside.unknown)
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return found
}

const isMaking = (node: ts.Node): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === 'RegExp'

type Constants = ReadonlyMap<string, ts.Expression>

function constantsIn(parsed: ts.SourceFile): Constants {
  const constants = new Map<string, ts.Expression>()
  for (const statement of parsed.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer && ts.isIdentifier(name)) constants.set(name.text, initializer)
  }
  return constants
}

/** Evaluates a string expression as far as the constants of its file allow. */
function textOf(node: ts.Expression, constants: Constants): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isIdentifier(node)) {
    const value = constants.get(node.text)
    return value && textOf(value, constants)
  }
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => [textOf(span.expression, constants), span.literal.text])
    return joined([node.head.text, ...parts.flat()], '')
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression: list, name } = node.expression
    const [separator] = node.arguments.map((argument) => textOf(argument, constants))
    if (name.text !== 'join' || !ts.isArrayLiteralExpression(list) || separator === undefined) return undefined
    return joined(
      list.elements.map((element) => textOf(element, constants)),
      separator,
    )
  }
  return undefined
}

const joined = (parts: readonly (string | undefined)[], separator: string) =>
  parts.every((part) => part !== undefined) ? parts.join(separator) : undefined
