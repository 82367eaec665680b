import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/** X's client is generated from X's OpenAPI description and is read here in its place. */
export function readDescription() {
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve('@xdevplatform/xdk'))
  const types = readTypes(readFileSync(join(folder, 'index.d.ts'), 'utf8'))
  return {
    operations: readOperations(readFileSync(join(folder, 'index.js'), 'utf8')),
    /** Mismatches between a value and a type. */
    problemsWith: (value: unknown, name: string) => problems(types, value, typeNamed(types, name), name),
    /** Allowed values of a list parameter. */
    choicesOf: (parameter: string) => types.choices.get(camel(parameter)),
  }
}

/** A path with placeholders, and its query parameters. */
interface Operation {
  method: string
  path: string
  query: Set<string>
}

const call = /let path = "([^"]+)";((?:(?!let path = )[\s\S])*?)this\.client\.request\(\s*"(\w+)"/g

function readOperations(source: string): Operation[] {
  return [...source.matchAll(call)].map(([, path = '', body = '', method = '']) => ({
    method,
    path,
    query: new Set([...body.matchAll(/params\.append\("([^"]+)"/g)].map((match) => match[1] ?? '')),
  }))
}

interface Types {
  named: Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>
  choices: Map<string, Set<string>>
}

function readTypes(source: string): Types {
  const types: Types = { named: new Map(), choices: new Map() }
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) types.named.set(node.name.text, node)
    if (ts.isPropertySignature(node) && node.type && ts.isIdentifier(node.name)) {
      const known = types.choices.get(node.name.text) ?? new Set()
      for (const value of literalsIn(node.type)) types.choices.set(node.name.text, known.add(value))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('index.d.ts', source, ts.ScriptTarget.ESNext))
  return types
}

function literalsIn(type: ts.TypeNode): string[] {
  if (ts.isLiteralTypeNode(type)) return ts.isStringLiteral(type.literal) ? [type.literal.text] : []
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(literalsIn)
  return ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []).flatMap(literalsIn) : []
}

/** The package's bundler numbers duplicate names. */
function typeNamed({ named }: Types, name: string) {
  const found = named.get(name) ?? named.get(`${name}$1`)
  if (!found) throw new Error(`The description has no type ${name}.`)
  return found
}

type Shape = ts.TypeNode | ts.InterfaceDeclaration | ts.TypeAliasDeclaration

function problems(types: Types, value: unknown, shape: Shape, at: string): string[] {
  if (ts.isTypeAliasDeclaration(shape)) return problems(types, value, shape.type, at)
  if (ts.isUnionTypeNode(shape)) {
    const each = shape.types.map((type) => problems(types, value, type, at))
    return each.reduce((best, found) => (found.length < best.length ? found : best))
  }
  if (ts.isInterfaceDeclaration(shape) || ts.isTypeLiteralNode(shape)) return memberProblems(types, value, shape, at)
  if (ts.isTypeReferenceNode(shape)) return referenceProblems(types, value, shape, at)
  if (ts.isLiteralTypeNode(shape)) {
    const expected = ts.isStringLiteral(shape.literal) ? shape.literal.text : null
    return value === expected ? [] : [`${at} may not be ${JSON.stringify(value)}`]
  }
  const expected = primitives.get(shape.kind)
  return expected === undefined || typeof value === expected ? [] : [`${at} is no ${expected}`]
}

const primitives = new Map([
  [ts.SyntaxKind.StringKeyword, 'string'],
  [ts.SyntaxKind.NumberKeyword, 'number'],
  [ts.SyntaxKind.BooleanKeyword, 'boolean'],
])

function referenceProblems(types: Types, value: unknown, shape: ts.TypeReferenceNode, at: string): string[] {
  const name = ts.isIdentifier(shape.typeName) ? shape.typeName.text : ''
  const [inner] = shape.typeArguments ?? []
  if (name === 'Record') return typeof value === 'object' ? [] : [`${at} is no object`]
  if (name !== 'Array' || !inner) return problems(types, value, typeNamed(types, name), at)
  if (!Array.isArray(value)) return [`${at} is no list`]
  return value.flatMap((item, index) => problems(types, item, inner, `${at}[${index}]`))
}

function memberProblems(
  types: Types,
  value: unknown,
  { members }: ts.InterfaceDeclaration | ts.TypeLiteralNode,
  at: string,
): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [`${at} is no object`]
  const known = members.filter(ts.isPropertySignature).filter((member) => ts.isIdentifier(member.name))
  const byName = new Map(known.map((member) => [snake((member.name as ts.Identifier).text), member]))
  const fields = Object.entries(value)
  const missing = [...byName]
    .filter(([name, member]) => !member.questionToken && !fields.some(([field]) => field === name))
    .map(([name]) => `${at}.${name} is missing`)
  return fields.reduce((sum, [name, field]) => {
    const type = byName.get(name)?.type
    return sum.concat(type ? problems(types, field, type, `${at}.${name}`) : [`${at}.${name} is unknown`])
  }, missing)
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const camel = (name: string) => name.replace(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase())
