import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import ts from 'typescript'

/** Google's description of the Data API as types, generated from its discovery document. */
const require = createRequire(import.meta.url)
const source = parsed(require.resolve('@maxim_mazurok/gapi.client.youtube-v3/index.d.ts'))
const interfaces = new Map<string, ts.InterfaceDeclaration>()
const resources = new Map<string, string>()
collect(source)

export type Members = Map<string, ts.PropertySignature>

/** A method by resource and name: its parameters, request and response types. */
export function methodOf(resource: string, name: string) {
  const signature = interfaces.get(resources.get(resource) ?? '')?.members.find((node) => nameOf(node) === name)
  if (!signature || !ts.isMethodSignature(signature)) return undefined
  const request = signature.parameters[0]?.type
  const response =
    signature.type && ts.isTypeReferenceNode(signature.type) ? signature.type.typeArguments?.[0] : undefined
  if (!request || !response) return undefined
  const params = new Map(membersOf(request))
  const body = params.get('resource')?.type
  params.delete('resource')
  return { params, body, answer: response }
}

export function membersOf(type: ts.TypeNode): Members | undefined {
  const members = ts.isTypeLiteralNode(type) ? type.members : interfaces.get(referenceOf(type))?.members
  return members && new Map(members.filter(ts.isPropertySignature).map((member) => [nameOf(member), member]))
}

function referenceOf(type: ts.TypeNode): string {
  return ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) ? type.typeName.text : ''
}

export const nameOf = ({ name }: ts.TypeElement) =>
  name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : ''

function collect(node: ts.Node): void {
  if (ts.isInterfaceDeclaration(node)) interfaces.set(node.name.text, node)
  if (ts.isVariableDeclaration(node) && node.type && ts.isIdentifier(node.name)) {
    resources.set(node.name.text, referenceOf(node.type))
  }
  ts.forEachChild(node, collect)
}

export function parsed(path: string) {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
}
