import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../clock.ts'
import { type Receiver, started } from '../outbound/receivers.fixture.ts'
import { answer, refuse, type StoreCall, type StoreState } from './s3-answers.fixture.ts'
import { refuseSignature } from './s3-check.fixture.ts'
import type { S3Settings } from './storage-url.ts'

/** An injected failure: for which requests, how often, and how. */
export interface Fault {
  when: (call: StoreCall) => boolean
  times: number
  /** `drop` closes the connection unread, `cut` in the middle of the response, `lose` after the work was done, `hang` never responds. */
  how: 'drop' | 'cut' | 'lose' | 'hang' | { status: number; code: string }
}

export interface S3Server extends Pick<Receiver, 'url' | 'stop'> {
  settings: S3Settings
  state: StoreState
  calls: StoreCall[]
  faults: Fault[]
}

/**
 * A minimal S3 emulator: it checks every signature, stores its files on disk and fails on demand. With `discardsContent` it stores no bytes and
 * returns zeros instead. The minimum part size is Amazon's unless a test needs many parts.
 */
export async function startS3Server({ discardsContent = false, smallestPart = 5 * 2 ** 20 } = {}): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-s3-'))
  const state: StoreState = { bucket: 'media', smallestPart, objects: new Map(), uploads: new Map() }
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  const receiver = await started(server)
  const settings: S3Settings = {
    endpoint: receiver.url,
    bucket: state.bucket,
    prefix: 'chorus',
    pathStyle: true,
    ...keys,
  }
  const stop = async () => {
    await receiver.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const s3: S3Server = { url: receiver.url, settings, state, calls: [], faults: [], stop }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const call = read(request)
    s3.calls.push(call)
    const fault = s3.faults.find(({ when, times }) => times > 0 && when(call))
    if (fault) fault.times -= 1
    if (fault?.how === 'drop') return response.destroy()
    const body = await keep(request, discardsContent && call.method === 'PUT' ? '' : join(folder, randomUUID()))
    if (fault?.how === 'hang') return
    if (typeof fault?.how === 'object') return refuse(response, fault.how.status, fault.how.code)
    const { method = '', url: target = '', headers } = request
    const code = refuseSignature({ method, target, headers, bodyDigest: body.digest }, keys, systemClock.now())
    if (code) return refuse(response, code === 'AuthorizationHeaderMalformed' ? 400 : 403, code)
    if (fault?.how === 'lose') response.end = () => response.destroy()
    await answer(call, body, state, response, fault?.how === 'cut')
  }
  return s3
}

const keys = { region: 'eu-test-1', accessKey: 'AKIDEXAMPLE', secretKey: 'wJalr/XUtnFEMI+K7MDENG=' }

function read({ method = '', url = '', headers }: IncomingMessage): StoreCall {
  const { pathname, searchParams } = new URL(url, 'http://host')
  const inHost = /^(\w+)\.localhost:/.exec(headers.host ?? '')?.[1]
  const [bucket = '', ...rest] = inHost ? [inHost, pathname.slice(1)] : pathname.slice(1).split('/')
  return { method, bucket, key: decodeURIComponent(rest.join('/')), query: searchParams, headers }
}

async function keep(request: IncomingMessage, path: string) {
  const hash = createHash('sha256')
  let size = 0
  const measured = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  await pipeline(request, measured, path === '' ? nowhere() : createWriteStream(path))
  const digest = hash.digest('hex')
  return { path, size, digest, etag: `"${digest.slice(0, 32)}"` }
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
