import type { Actor } from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import type { Json } from '../http/json.ts'

type Found = Json | undefined

/** Value at a path in untyped JSON. */
export function at(json: Found, ...path: string[]): Found {
  let found = json
  for (const name of path) {
    if (found === undefined || found === null || typeof found !== 'object' || Array.isArray(found)) return undefined
    found = found[name]
  }
  return found
}

/** Ids come as strings or numbers. */
export function textAt(json: Found, ...path: string[]): string | undefined {
  const found = at(json, ...path)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' ? found : undefined
}

export function numberAt(json: Found, ...path: string[]): number | undefined {
  const found = at(json, ...path)
  return typeof found === 'number' ? found : undefined
}

export function listAt(json: Found, ...path: string[]): Json[] {
  const found = at(json, ...path)
  return Array.isArray(found) ? found : []
}

export function textsAt(json: Found, ...path: string[]): string[] {
  return listAt(json, ...path).filter((element) => typeof element === 'string')
}

export const urnOf = ({ kind, remoteId }: Pick<Actor, 'kind' | 'remoteId'>) =>
  kind === 'page' ? `urn:li:organization:${remoteId}` : personUrn(remoteId)

export const personUrn = (id: string) => (id.startsWith('urn:') ? id : `urn:li:person:${id}`)

/** People have a bare id; pages keep their URN, so that the two can't be confused. */
export const personIdOf = (urn: string) => (urn.startsWith('urn:li:person:') ? lastOf(urn) : urn)

export const lastOf = (urn: string) => urn.slice(urn.lastIndexOf(':') + 1)

/** Encodes a value for a path or query: brackets and commas are syntax in Rest.li. */
export const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[()'!*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

export const listOf = (values: readonly string[]) => `List(${values.map(encoded).join(',')})`

/** Post (usually an activity URN) and number in a comment's URN. */
export function commentParts(urn: string): { object: string; number: string } | undefined {
  const [, object, number] = /^urn:li:comment:\((.+),(\d+)\)$/.exec(urn) ?? []
  return object === undefined || number === undefined ? undefined : { object, number }
}

export const postUrl = ({ hosts }: NetworkApp, post: string) => `${hosts.public}/feed/update/${post}`

export const commentUrl = (app: NetworkApp, post: string, comment: string) =>
  `${postUrl(app, post)}?commentUrn=${encoded(comment)}`
