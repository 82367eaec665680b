import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { started } from '#kernel/outbound/receivers.fixture.ts'

const account = 'acmefiles'
const key = Buffer.from('the key of an account').toString('base64')
const token = 'sv=2023-11-03&sr=c&sp=cw&sig=c2lnbmF0dXJl'

/**
 * Follows the documentation of "Put Blob" and "Authorize with Shared Key": the signature is verified over the received request, and
 * a blob exists once it is complete. Tokens are accepted as given.
 */
export async function startAzureServer() {
  const blobs = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://host')
    const refuse = (status: number, code: string) =>
      response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    if (request.method !== 'PUT' || request.headers['x-ms-blob-type'] !== 'BlockBlob')
      return refuse(400, 'InvalidHeaderValue')
    const isProved =
      search === '' ? request.headers.authorization === signed(request, pathname) : search === `?${token}`
    if (!isProved) return refuse(403, 'AuthenticationFailed')
    if (!pathname.startsWith('/files/')) return refuse(404, 'ContainerNotFound')
    if (body.length !== Number(request.headers['content-length'])) return refuse(400, 'IncompleteBody')
    blobs.set(pathname.slice('/files/'.length), body)
    response.writeHead(201).end()
  })
  const { url, stop } = await started(server)
  return { url, stop, blobs, account, key, token, container: 'files' }
}

function signed({ method = '', headers }: IncomingMessage, pathname: string): string {
  const length = headers['content-length']
  const standard = [
    ...(['content-encoding', 'content-language'] as const).map((name) => headers[name] ?? ''),
    length === '0' ? '' : (length ?? ''),
    ...['content-md5', 'content-type', 'date', 'if-modified-since'].map((name) => String(headers[name] ?? '')),
    ...['if-match', 'if-none-match', 'if-unmodified-since', 'range'].map((name) => String(headers[name] ?? '')),
  ]
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .sort()
    .map((name) => `${name}:${headers[name]}`)
  const text = [method, ...standard, ...own, `/${account}${pathname}`].join('\n')
  return `SharedKey ${account}:${createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')}`
}
