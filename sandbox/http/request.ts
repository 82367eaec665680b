import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Response } from 'undici'
import type { Operation } from '../behaviour/faults.ts'
import type { World } from '../state/state.ts'
import { json, Refusal } from './response.ts'

export interface UploadedFile {
  bytes: Buffer
  type: string
  name: string
}

/** One request, read. */
export interface Call {
  world: World
  method: string
  /** With the network's prefix before what the network itself would see. */
  path: string
  /** The network's host that was called, where the caller named one. */
  host?: string
  /** Scheme and host the caller used, so that addresses in answers lead back here. */
  origin: string
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Query and body together; the body wins. */
  fields: Record<string, unknown>
  files: Record<string, UploadedFile>
  raw: Buffer
  operation: Operation
  /** A planned `not-ready` fault: whatever is asked for is still being worked on. */
  notReady: boolean
  /** Go out with the answer, also with a refusal. */
  answerHeaders: Record<string, string>
  version?: string
}

/** Above what any client sends in one piece; larger files go in parts. */
const largestBody = 512 * 1024 * 1024

export interface Body {
  raw: Buffer
  fields: Record<string, unknown>
  files: Record<string, UploadedFile>
}

/** Reads the request to its end and takes it apart if it is JSON or a form; other bodies stay bytes. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestBody) throw new Error('The body is larger than the sandbox takes in one piece.')
    chunks.push(chunk)
  }
  const raw = Buffer.concat(chunks)
  const type = request.headers['content-type'] ?? ''
  if (raw.length === 0) return { raw, fields: {}, files: {} }
  if (type.includes('json')) return { raw, fields: jsonFields(raw), files: {} }
  if (type.startsWith('multipart/form-data') || type.startsWith('application/x-www-form-urlencoded')) {
    return { raw, ...(await formFields(raw, type)) }
  }
  return { raw, fields: {}, files: {} }
}

function jsonFields(raw: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'))
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

async function formFields(raw: Buffer, type: string) {
  const fields: Record<string, unknown> = {}
  const files: Record<string, UploadedFile> = {}
  const form = await new Response(raw, { headers: { 'content-type': type } }).formData().catch(() => [])
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value
    else files[name] = { bytes: Buffer.from(await value.arrayBuffer()), type: value.type, name: value.name }
  }
  return { fields, files }
}

/** A field as text; numbers and booleans are written out, anything else is absent. */
export function textOf(source: Call | object, name: string): string | undefined {
  const value = fieldOf(source, name)
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export function numberOf(source: Call | object, name: string): number | undefined {
  const text = textOf(source, name)
  const value = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

export function flagOf(source: Call | object, name: string): boolean {
  return ['true', '1'].includes(textOf(source, name) ?? '')
}

/** A field that is an object, or the JSON text of one, as forms carry it. */
export function objectOf(source: Call | object, name: string): Record<string, unknown> | undefined {
  const value = unfolded(fieldOf(source, name))
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** A field that is a list: an array, its JSON text, or `name[0]`, `name[1]` as forms carry it. */
export function listOf(source: Call | object, name: string): unknown[] {
  const value = unfolded(fieldOf(source, name))
  if (Array.isArray(value)) return value
  const fields = fieldsOf(source)
  return Object.keys(fields)
    .filter((key) => key.startsWith(`${name}[`))
    .map((key) => unfolded(fields[key]))
}

/** The value at a path of names through nested objects. */
export function deepText(source: Call | object, ...names: string[]): string | undefined {
  let at: object = fieldsOf(source)
  for (const name of names.slice(0, -1)) {
    const next = objectOf(at, name)
    if (!next) return undefined
    at = next
  }
  return textOf(at, names.at(-1) ?? '')
}

function fieldsOf(source: Call | object): Record<string, unknown> {
  // Elements of a list that somebody else wrote can be anything.
  if (source === null || typeof source !== 'object') return {}
  return 'fields' in source && 'world' in source ? source.fields : (source as Record<string, unknown>)
}

function fieldOf(source: Call | object, name: string): unknown {
  return fieldsOf(source)[name]
}

function unfolded(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** A field of the control plane that must be one of a few words. */
export function choice<Value extends string>(call: Call | object, name: string, allowed: readonly Value[]): Value {
  const value = optionalChoice(call, name, allowed)
  if (value === undefined) throw controlError(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

export function optionalChoice<Value extends string>(call: Call | object, name: string, allowed: readonly Value[]) {
  const text = textOf(call, name)
  if (text === undefined || text === '') return undefined
  const value = allowed.find((candidate) => candidate === text)
  if (value === undefined) throw controlError(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

export function controlError(sentence: string): Refusal {
  return new Refusal(json({ error: sentence }, 400))
}
