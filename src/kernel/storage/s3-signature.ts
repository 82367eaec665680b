import { createHash, createHmac } from 'node:crypto'
import type { S3Settings } from './storage-url.ts'

export interface UnsignedRequest {
  method: string
  /** Its path and its query encoded as `encode` does it. */
  url: URL
  headers: Readonly<Record<string, string>>
  body: Uint8Array | undefined
}

type Keys = Pick<S3Settings, 'region' | 'accessKey' | 'secretKey'>

/** The headers of a request with those that prove who sends it: Signature Version 4 of Amazon, over the whole body. */
export function sign({ method, url, headers, body }: UnsignedRequest, keys: Keys, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const bodyDigest = sha256(body ?? '')
  const sent = { ...headers, 'x-amz-content-sha256': bodyDigest, 'x-amz-date': time }
  // The host is signed but set by whoever opens the connection.
  const signed = Object.entries({ ...sent, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('')
  const canonical = [method, url.pathname, sortedQuery(url), lines, names, bodyDigest].join('\n')
  const scope = `${day}/${keys.region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, keys.region, 's3', 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${keys.secretKey}`))
  const credential = `${keys.accessKey}/${scope}`
  const signature = hmac(key, text).toString('hex')
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** As the signature wants it: everything but letters, digits and four signs. */
export const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const sortedQuery = (url: URL) =>
  [...url.searchParams]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
