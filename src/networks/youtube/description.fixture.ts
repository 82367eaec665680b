import ts from 'typescript'
import { type Members, membersOf, methodOf, nameOf, parsed } from './described-types.fixture.ts'

export interface Exchange {
  method: string
  url: string
  sent: unknown
  status: number
  response: unknown
}

/** Everything in a request and its response that the description doesn't contain. */
export function problemsOf({ method, url, sent, status, response }: Exchange): string[] {
  const { pathname, searchParams } = new URL(url)
  const [, resource = '', sign, verb] = /\/youtube\/v3\/(\w+)(?:([/:])(\w+))?$/.exec(pathname) ?? []
  const isNamed = verb && (method === 'POST' || sign === ':')
  const name = isNamed ? verb : verbs.get(verb ? '' : method)
  const described = name && methodOf(resource, name)
  if (!described) return [`${method} ${pathname} is not described.`]
  const { params, body, answer } = described
  // The URL of an upload session is defined by YouTube.
  const queryIssues = searchParams.has('upload_id') ? [] : queryProblems(searchParams, params, answer)
  const bodyIssues = body && sent !== undefined ? mismatches(sent, body, 'body') : sent ? ['There is no body.'] : []
  const hasResponse = status >= 200 && status < 300 && response !== undefined
  return [...queryIssues, ...bodyIssues, ...(hasResponse ? mismatches(response, answer, 'answer') : [])]
}

const verbs = new Map([
  ['GET', 'list'],
  ['POST', 'insert'],
  ['PUT', 'insert'],
  ['DELETE', 'delete'],
])

/** Property names of a type of ours that a described type doesn't have. */
export function unknownNamesIn(path: string, name: string): string[] {
  const alias = parsed(path).statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === name)
  if (!alias || !ts.isTypeAliasDeclaration(alias)) return [`There is no type ${name}.`]
  return unknownNames(alias.type, ts.factory.createTypeReferenceNode(name), name)
}

function unknownNames(ownNames: ts.TypeNode, describedNames: ts.TypeNode, at: string): string[] {
  if (ts.isArrayTypeNode(ownNames)) {
    return ts.isArrayTypeNode(describedNames)
      ? unknownNames(ownNames.elementType, describedNames.elementType, at)
      : [at]
  }
  if (!ts.isTypeLiteralNode(ownNames)) return []
  return ownNames.members.flatMap((member) => {
    const name = `${at}.${nameOf(member)}`
    const known = membersOf(describedNames)?.get(nameOf(member))
    return known?.type && ts.isPropertySignature(member) && member.type
      ? unknownNames(member.type, known.type, name)
      : [name]
  })
}

function queryProblems(query: URLSearchParams, params: Members, answer: ts.TypeNode): string[] {
  const missing = [...params].filter(([name, { questionToken }]) => !questionToken && !query.has(name))
  const parts = membersOf(itemOf(answer))
  const unknownParts = (query.get('part')?.split(',') ?? []).filter((part) => !parts?.has(part))
  const wrong = [...query].flatMap(([name, value]) => {
    const type = params.get(name)?.type
    return type ? mismatches(readAs(type, value), type, name) : [`The parameter ${name} is not described.`]
  })
  return [
    ...missing.map(([name]) => `${name} is missing.`),
    ...unknownParts.map((part) => `No part ${part}.`),
    ...wrong,
  ]
}

/** A list contains partial items. */
function itemOf(answer: ts.TypeNode): ts.TypeNode {
  const items = membersOf(answer)?.get('items')?.type
  return items && ts.isArrayTypeNode(items) ? items.elementType : answer
}

function readAs({ kind }: ts.TypeNode, value: string): unknown {
  if (kind === ts.SyntaxKind.NumberKeyword) return Number(value)
  return kind === ts.SyntaxKind.BooleanKeyword && /^(true|false)$/.test(value) ? value === 'true' : value
}

function mismatches(value: unknown, type: ts.TypeNode, at: string): string[] {
  if (ts.isUnionTypeNode(type)) {
    return type.types.some((one) => !mismatches(value, one, at).length) ? [] : [`${at} cannot be ${value}.`]
  }
  if (ts.isArrayTypeNode(type)) {
    if (!Array.isArray(value)) return [`${at} is not a list.`]
    return value.flatMap((one, index) => mismatches(one, type.elementType, `${at}[${index}]`))
  }
  const members = membersOf(type)
  if (!members) return isScalar(value, type) ? [] : [`${at} cannot be ${JSON.stringify(value)}.`]
  if (typeof value !== 'object' || value === null) return [`${at} is not an object.`]
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = members.get(name)?.type
    return known ? mismatches(inner, known, `${at}.${name}`) : [`${at}.${name} is not described.`]
  })
}

function isScalar(value: unknown, type: ts.TypeNode): boolean {
  if (ts.isLiteralTypeNode(type)) return ts.isStringLiteral(type.literal) && type.literal.text === value
  return typeof value === scalars.get(type.kind)
}

const scalars = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.StringKeyword, 'string'],
  [ts.SyntaxKind.NumberKeyword, 'number'],
  [ts.SyntaxKind.BooleanKeyword, 'boolean'],
])
