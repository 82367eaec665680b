import type { IncomingMessage } from 'node:http'
import { Response } from 'undici'
import type { UploadedFile } from './call.ts'

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
