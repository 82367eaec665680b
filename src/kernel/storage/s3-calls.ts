import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../clock.ts'
import { OutboundFailure } from '../outbound/failure.ts'
import { type Outbound, type OutboundAnswer, openOutbound } from '../outbound/outbound.ts'
import { errorCode, refusalOf } from './s3-refusal.ts'
import { encode, sign } from './s3-signature.ts'
import type { S3Settings } from './storage-url.ts'

export interface S3Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The bucket itself unless told. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
  /** Of the answer's body; 1 MiB unless told. */
  maximumBytes?: number
  /** The statuses that are an answer; every other is thrown as an error. */
  expected: readonly number[]
}

export type CallS3 = (call: S3Call) => Promise<OutboundAnswer>

export interface S3Options {
  clock?: Clock
  /** The way there; one of its own to any address unless told: the endpoint of an operator's setting may well be private. */
  outbound?: Pick<Outbound, 'send'>
  /** Milliseconds one call may take; two minutes unless told. */
  patience?: number
  /** Milliseconds before each further attempt at a call that failed. */
  waits?: readonly number[]
  /** What is kept in memory of a file on its way, and sent in one call; 8 MiB unless told. */
  partBytes?: number
}

/** The way to a store: signs each call and repeats what a hiccup of the network or of the store has spoilt. */
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
      // All of those that failed together must not come back together.
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
  // A file that is not there is an answer, a bucket that is not there is a mistake.
  if (answer.status === 404 && errorCode(answer) === 'NoSuchBucket') return false
  // Putting parts together may fail after the store has begun to say that it succeeded.
  if (method === 'POST' && answer.status === 200 && errorCode(answer) !== '') return false
  return expected.includes(answer.status)
}

const isPassing = (answer: OutboundAnswer) =>
  [200, 408, 429, 500, 502, 503, 504].includes(answer.status) || errorCode(answer) === 'RequestTimeout'

const lasting = new Set<string>(['refused-address', 'tls', 'aborted', 'too-large'])

const unreachable = (failure: OutboundFailure) =>
  new Error(`The store of files cannot be used: ${failure.message}`, { cause: failure })
