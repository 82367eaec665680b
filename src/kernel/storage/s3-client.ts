import { createHash, createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../clock.ts'
import { OutboundFailure } from '../outbound/failure.ts'
import { type Outbound, type OutboundAnswer, openOutbound } from '../outbound/outbound.ts'
import { elementText } from '../text-parts.ts'
import type { S3Settings } from './storage-url.ts'

interface S3Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The bucket itself by default. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
  /** Maximum size of the response body; 1 MiB by default. */
  maximumBytes?: number
  /** Statuses that are returned; all others are thrown as errors. */
  expected: readonly number[]
}

export type CallS3 = (call: S3Call) => Promise<OutboundAnswer>

export interface S3Options {
  clock?: Clock
  /** HTTP client. By default one that may call any IP address: the endpoint is set by the operator and may well be private. */
  outbound?: Pick<Outbound, 'send'>
  /** Timeout of one call in milliseconds; two minutes by default. */
  patience?: number
  /** Milliseconds before each retry of a failed call. */
  waits?: readonly number[]
  /** Part size of an upload, which is held in memory and sent in one call; 8 MiB by default. */
  partBytes?: number
}

/** Signs each call and retries transient failures of the network or the store. */
export function s3Calls(settings: S3Settings, options: S3Options): CallS3 {
  const { clock = systemClock, patience = 120_000, waits = [200, 1_000, 4_000] } = options
  const outbound =
    options.outbound ?? openOutbound({ allow: ['0.0.0.0/0', '::/0'], ports: 'any', socketsPerOrigin: 32 })
  const attempt = ({ method, headers = {}, body, maximumBytes = 2 ** 20, ...call }: S3Call) => {
    const url = urlOf(settings, call)
    const signed = sign({ method, url, headers, body }, settings, clock.now())
    return outbound.send({ method, url: url.href, headers: signed, body, maximumBytes, timeoutMs: patience })
  }
  return async (call) => {
    for (let attempts = 0; ; attempts += 1) {
      const wait = waits[attempts]
      try {
        const answer = await attempt(call)
        if (isExpected(call, answer)) return answer
        if (wait === undefined || !isPassing(answer)) throw refusalOf(answer, settings)
      } catch (error) {
        if (!(error instanceof OutboundFailure)) throw error
        if (wait === undefined || lasting.has(error.kind)) throw unreachable(error)
      }
      // Jitter, so that calls that failed together are not retried together.
      await sleep(wait * (0.5 + Math.random()))
    }
  }
}

function urlOf(
  { endpoint, bucket, prefix, pathStyle }: S3Settings,
  { key, query = {} }: Pick<S3Call, 'key' | 'query'>,
) {
  const url = new URL(endpoint)
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`
  const path = key === undefined ? '' : [...prefix.split('/'), ...key.split('/')].filter(Boolean).map(encode).join('/')
  url.pathname = pathStyle ? `/${bucket}/${path}` : `/${path}`
  url.search = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&')
  return url
}

function isExpected({ method, expected }: S3Call, answer: OutboundAnswer): boolean {
  // A missing file is a valid response; a missing bucket is a configuration error.
  if (answer.status === 404 && errorCode(answer) === 'NoSuchBucket') return false
  // Completing a multipart upload may fail after the store has sent status 200.
  if (method === 'POST' && answer.status === 200 && errorCode(answer) !== '') return false
  return expected.includes(answer.status)
}

const isPassing = (answer: OutboundAnswer) =>
  [200, 408, 429, 500, 502, 503, 504].includes(answer.status) || errorCode(answer) === 'RequestTimeout'

const lasting = new Set<string>(['refused-address', 'tls', 'aborted', 'too-large'])

const unreachable = (failure: OutboundFailure) =>
  new Error(`The store of files cannot be used: ${failure.message}`, { cause: failure })

type Refused = Pick<OutboundAnswer, 'status' | 'body'>

/** Explains a store's error to the operator. */
function refusalOf(answer: Refused, { endpoint, bucket, region }: S3Settings): Error {
  const { host } = new URL(endpoint)
  const code = errorCode(answer)
  const wrongRegion = `The bucket ${bucket} at ${host} is not in the region ${region}; correct the region in the setting.`
  const sentences: Record<string, string> = {
    NoSuchBucket: `${host} has no bucket ${bucket}; make it, or correct its name in the setting.`,
    InvalidAccessKeyId: `${host} does not know the access key; correct it in the setting.`,
    SignatureDoesNotMatch: `${host} does not accept the signature; correct the secret in the setting.`,
    RequestTimeTooSkewed: `The clock of this machine differs too much from that of ${host}; set it right.`,
    AccessDenied: `${host} does not let this access key use the bucket ${bucket}; let it list, read, write and delete there.`,
    AuthorizationHeaderMalformed: wrongRegion,
    PermanentRedirect: wrongRegion,
    TemporaryRedirect: wrongRegion,
  }
  const usual: Record<number, string | undefined> = { 301: wrongRegion, 307: wrongRegion, 403: sentences.AccessDenied }
  const sentence = sentences[code] ?? usual[answer.status]
  return new Error(sentence ?? `The store of files at ${host} answered ${answer.status}${code ? ` (${code})` : ''}.`)
}

export const errorCode = ({ body }: Pick<Refused, 'body'>) => element(body.toString('utf8', 0, 4_096), 'Code') ?? ''

/** The text of the first element with this name. */
export function element(xml: string, name: string): string | undefined {
  return elementText(xml, name)?.replace(
    /&(lt|gt|quot|apos|amp|#34|#39);/g,
    (_entity, what: string) => entities[what] ?? '',
  )
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#34': '"', '#39': "'" }

interface UnsignedRequest {
  method: string
  /** Path and query are encoded with `encode`. */
  url: URL
  headers: Readonly<Record<string, string>>
  body: Uint8Array | undefined
}

type Keys = Pick<S3Settings, 'region' | 'accessKey' | 'secretKey'>

/** The request headers with an AWS Signature Version 4 over the whole body. */
export function sign({ method, url, headers, body }: UnsignedRequest, keys: Keys, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const bodyDigest = sha256(body ?? '')
  const sent = { ...headers, 'x-amz-content-sha256': bodyDigest, 'x-amz-date': time }
  // The host header is signed, but set by the HTTP client.
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

/** The encoding that the signature requires: everything except letters, digits and four characters. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const sortedQuery = (url: URL) =>
  [...url.searchParams]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
