import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FormData, request } from 'undici'
import { startSandbox } from './main.ts'

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of six networks
  body: any
}

export interface Sent {
  method?: string
  token?: string
  json?: unknown
  form?: Record<string, string>
  multipart?: Record<string, string | Buffer>
  bytes?: Buffer
  headers?: Record<string, string>
}

/** Starts a sandbox for one test file, with helpers to call it. */
export async function testSandbox(options: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox(options)
  const call = (path: string, sent: Sent = {}) => send(path.startsWith('http') ? path : sandbox.url + path, sent)
  const control = (path: string, json?: unknown) =>
    call(`/__sandbox${path}`, { token: options.token ?? 'sandbox', ...(json === undefined ? {} : { json }) })
  const ledger = async (query = '') => (await control(`/ledger?${query}`)).body.entries
  const advance = (advanceMs: number) => control('/clock', { advanceMs })
  const inject = async (json: unknown) => (await control('/inject', json)).body
  return { ...sandbox, call, control, ledger, advance, inject }
}

async function send(url: string, sent: Sent): Promise<Reply> {
  const given: Record<string, string> = { ...sent.headers }
  if (sent.token) given.authorization = `Bearer ${sent.token}`
  let body: string | Buffer | FormData | undefined
  if (sent.json !== undefined) {
    given['content-type'] = 'application/json'
    body = JSON.stringify(sent.json)
  } else if (sent.form) {
    given['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8'
    body = new URLSearchParams(sent.form).toString()
  } else if (sent.multipart) body = multipart(sent.multipart)
  else if (sent.bytes) body = sent.bytes
  const method = sent.method ?? (body === undefined ? 'GET' : 'POST')
  const response = await request(url, { method, headers: given, ...(body === undefined ? {} : { body }) })
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(response.headers))
    for (const one of [value].flat()) headers.append(name, one)
  const text = await response.body.text()
  const isJson = (headers.get('content-type') ?? '').includes('json')
  return { status: response.statusCode, headers, body: isJson && text ? JSON.parse(text) : text }
}

function multipart(fields: Record<string, string | Buffer>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value)
    else form.set(name, new Blob([new Uint8Array(value)]), name)
  }
  return form
}

export interface Pushed {
  method: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  raw: string
}

/** A server that receives pushes and serves files; `answer` sets the response to a push or handshake. */
export async function testReceiver(files: Record<string, Buffer> = {}) {
  const pushes: Pushed[] = []
  const receiver = {
    url: '',
    pushes,
    answer: (_: Pushed): { status: number; body: string } => ({ status: 200, body: '' }),
    async next(count = 1) {
      for (let waited = 0; pushes.filter(({ method }) => method === 'POST').length < count && waited < 200; waited++) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return pushes.filter(({ method }) => method === 'POST')[count - 1]
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver')
    const file = files[url.pathname.slice(1)]
    if (file) return response.end(file)
    if (url.pathname === '/missing') return response.writeHead(404).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString('utf8')
    const push = { method: request.method ?? '', query: url.searchParams, headers: request.headers, raw }
    pushes.push(push)
    const { status, body } = receiver.answer(push)
    return response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}

/** Minimal files that are detected as their type. */
export const samples = {
  jpeg: Buffer.concat([Buffer.from('ffd8ffc0000b080400040001011100', 'hex'), Buffer.alloc(64)]),
  png: Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d4948445200000400000004000806000000', 'hex'),
    Buffer.alloc(64),
  ]),
  gif: Buffer.concat([Buffer.from('474946383961400040000000', 'hex'), Buffer.alloc(64)]),
  pdf: Buffer.from('%PDF-1.4\n%%EOF\n'),
  mp4: movie(10),
  longMovie: movie(5000),
}

export const simulatedUser = {
  id: '7000000000000042',
  name: 'Robin Reader',
  username: 'robinreads',
  email: 'robin@reader.example',
}

function movie(seconds: number): Buffer {
  const header = Buffer.alloc(108)
  header.writeUInt32BE(108, 0)
  header.write('mvhd', 4, 'latin1')
  header.writeUInt32BE(1000, 20)
  header.writeUInt32BE(seconds * 1000, 24)
  return Buffer.concat([
    Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex'),
    header,
    Buffer.alloc(200),
  ])
}
