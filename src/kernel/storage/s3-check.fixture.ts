import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { S3Settings } from './storage-url.ts'

export interface SignedRequest {
  method: string
  /** The request target as it was sent in the request line. */
  target: string
  headers: IncomingHttpHeaders
  /** Digest of the received body, in hex. */
  bodyDigest: string
}

type Keys = Pick<S3Settings, 'region' | 'accessKey' | 'secretKey'>

/** The S3 error code of a request that Amazon would refuse, following its documented algorithm; undefined if the signature is valid. */
export function refuseSignature(request: SignedRequest, keys: Keys, now: Date): string | undefined {
  const { headers } = request
  const match = form.exec(headers.authorization ?? '')
  if (!match) return 'AccessDenied'
  const [, accessKey, day, region, names = '', signature] = match
  const signed = names.split(';')
  if (accessKey !== keys.accessKey) return 'InvalidAccessKeyId'
  if (region !== keys.region) return 'AuthorizationHeaderMalformed'
  const mustBeSigned = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  if (!mustBeSigned.every((name) => signed.includes(name))) return 'AccessDenied'
  if (signed.join() !== [...signed].sort().join()) return 'SignatureDoesNotMatch'
  const time = String(headers['x-amz-date'])
  if (time.slice(0, 8) !== day) return 'SignatureDoesNotMatch'
  if (Math.abs(readTime(time) - now.getTime()) > 15 * 60_000) return 'RequestTimeTooSkewed'
  if (headers['x-amz-content-sha256'] !== request.bodyDigest) return 'XAmzContentSHA256Mismatch'
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical(request, signed))].join('\n')
  const steps = [String(day), String(region), 's3', 'aws4_request']
  const key = steps.reduce<Buffer>((secret, step) => hmac(secret, step), Buffer.from(`AWS4${keys.secretKey}`))
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

const readTime = (text: string) =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

function canonical({ method, target, headers, bodyDigest }: SignedRequest, signed: string[]): string {
  const [path = '', query = ''] = target.split('?')
  const parameters = query
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=').map((part) => uriEncode(decodeURIComponent(part)))
      return { name, value }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  return [
    method,
    path
      .split('/')
      .map((part) => uriEncode(decodeURIComponent(part)))
      .join('/'),
    parameters.map(({ name, value }) => `${name}=${value}`).join('&'),
    ...signed.map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    signed.join(';'),
    bodyDigest,
  ].join('\n')
}

/** Encodes every byte except unreserved characters, as documented. */
const uriEncode = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const sign = String.fromCharCode(byte)
      return /[A-Za-z0-9\-._~]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
