import { randomUUID } from 'node:crypto'

/** A field's text, or a file's bytes. */
export type Part = string | { bytes: Uint8Array; mime: string; name: string }

/** A form with files in it, as bytes. */
export function multipartBody(parts: { [name: string]: Part }): { type: string; bytes: Buffer } {
  const boundary = `chorus-${randomUUID()}`
  const chunks: Uint8Array[] = []
  for (const [name, part] of Object.entries(parts)) {
    const file = typeof part === 'string' ? undefined : part
    const heading = file ? `; filename="${file.name.replace(/["\r\n]/g, '_')}"\r\ncontent-type: ${file.mime}` : ''
    chunks.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${heading}\r\n\r\n`))
    chunks.push(typeof part === 'string' ? Buffer.from(part) : part.bytes, Buffer.from('\r\n'))
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(chunks) }
}
