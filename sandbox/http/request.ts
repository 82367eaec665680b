import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Response } from 'undici'
import type { Operation } from '../behaviour/faults.ts'
import type { SandboxState } from '../state/state.ts'
import { ApiError, json } from './response.ts'

export interface UploadedFile {
  bytes: Buffer
  type: string
  name: string
}

/** A parsed request. */
export interface ApiRequest {
  state: SandboxState
  method: string
  /** The path, with the prefix of the network. */
  path: string
  /** The network host in the path, if any. */
  host?: string
  /** Scheme and host of the caller, for URLs in responses. */
  origin: string
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Query and body parameters merged; the body takes precedence. */
  fields: Record<string, unknown>
  files: Record<string, UploadedFile>
  raw: Buffer
  operation: Operation
  /** A planned `not-ready` fault: the requested media is still processing. */
  notReady: boolean
  /** Sent with every response, including errors. */
  responseHeaders: Record<string, string>
  version?: string
}

/** Larger than any single request; bigger files are uploaded in parts. */
const maxBodyBytes = 512 * 1024 * 1024

export interface Body {
  raw: Buffer
  fields: Record<string, unknown>
  files: Record<string, UploadedFile>
}

/** Reads the body and parses JSON and forms; other bodies stay bytes. */
export async function readBody(incoming: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Error('The body is larger than the sandbox takes in one piece.')
    chunks.push(chunk)
  }
  const raw = Buffer.concat(chunks)
  const type = incoming.headers['content-type'] ?? ''
  if (raw.length === 0) return { raw, fields: {}, files: {} }
  if (type.includes('json')) return { raw, fields: jsonFields(raw), files: {} }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { raw, fields: Object.fromEntries(new URLSearchParams(raw.toString('utf8'))), files: {} }
  }
  if (type.startsWith('multipart/form-data')) return { raw, ...(await formFields(raw, type)) }
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

/** A field as text; numbers and booleans are converted, other types are treated as absent. */
export function textOf(source: ApiRequest | object, name: string): string | undefined {
  const value = fieldOf(source, name)
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export function numberOf(source: ApiRequest | object, name: string): number | undefined {
  const text = textOf(source, name)
  const value = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

export function booleanOf(source: ApiRequest | object, name: string): boolean {
  return ['true', '1'].includes(textOf(source, name) ?? '')
}

/** An object field, or its JSON text in forms. */
export function objectOf(source: ApiRequest | object, name: string): Record<string, unknown> | undefined {
  const value = parseJsonText(fieldOf(source, name))
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** A list field: an array, its JSON text, or `name[0]`, `name[1]` in forms. */
export function listOf(source: ApiRequest | object, name: string): unknown[] {
  const value = parseJsonText(fieldOf(source, name))
  if (Array.isArray(value)) return value
  const fields = fieldsOf(source)
  return Object.keys(fields)
    .filter((key) => key.startsWith(`${name}[`))
    .map((key) => parseJsonText(fields[key]))
}

/** The value at a path of nested objects. */
export function nestedText(source: ApiRequest | object, ...names: string[]): string | undefined {
  let at: object = fieldsOf(source)
  for (const name of names.slice(0, -1)) {
    const next = objectOf(at, name)
    if (!next) return undefined
    at = next
  }
  return textOf(at, names.at(-1) ?? '')
}

function fieldsOf(source: ApiRequest | object): Record<string, unknown> {
  // List elements from the request can have any type.
  if (source === null || typeof source !== 'object') return {}
  return 'fields' in source && 'responseHeaders' in source ? source.fields : (source as Record<string, unknown>)
}

function fieldOf(source: ApiRequest | object, name: string): unknown {
  return fieldsOf(source)[name]
}

function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** An enum field of the control plane. */
export function choice<Value extends string>(
  request: ApiRequest | object,
  name: string,
  allowed: readonly Value[],
): Value {
  const value = optionalChoice(request, name, allowed)
  if (value === undefined) throw controlError(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

export function optionalChoice<Value extends string>(
  request: ApiRequest | object,
  name: string,
  allowed: readonly Value[],
) {
  const text = textOf(request, name)
  if (text === undefined || text === '') return undefined
  const value = allowed.find((candidate) => candidate === text)
  if (value === undefined) throw controlError(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

export function controlError(sentence: string): ApiError {
  return new ApiError(json({ error: sentence }, 400))
}
