import { createHmac } from 'node:crypto'
import { elementText } from '#kernel/text-parts.ts'
import { type Deliver, failed, zipType } from './delivery.ts'

/** Of the service's interface. */
const version = '2023-11-03'
const minute = 60_000
/** Bytes in a millisecond: a way that is slower is not worth waiting for. */
const slowest = 64

/** One call of Put Blob: the blob is there when all of it arrived, and replaces what a try before left under the name. */
export const byAzure: Deliver = async ({ outbound, destination, secret, file, now, signal }) => {
  const { accountName = '', container = '', endpoint = '' } = destination
  const url = new URL(`${endpoint}/${container}/${encodeURIComponent(file.name)}`)
  const isToken = secret.includes('sig=')
  if (isToken) url.search = secret.replace(/^\?/, '')
  const headers = {
    'content-type': zipType,
    'x-ms-blob-type': 'BlockBlob',
    'x-ms-date': now.toUTCString(),
    'x-ms-version': version,
  }
  const proof = isToken ? undefined : { authorization: signatureOf(accountName, secret, url, headers, file.bytes) }
  try {
    const { status, body } = await outbound.send({
      method: 'PUT',
      url: url.href,
      headers: { ...headers, ...proof },
      body: file.read(),
      bodyBytes: file.bytes,
      timeoutMs: minute + file.bytes / slowest,
      signal,
    })
    if (status !== 201) throw new Error(`It answered ${status} ${elementText(body.toString(), 'Code') ?? ''}`.trim())
    return {}
  } catch (error) {
    throw failed(url.host, error)
  }
}

/** Shared Key: an HMAC over the call with the account's key. */
function signatureOf(
  account: string,
  key: string,
  url: URL,
  headers: { readonly [name: string]: string },
  bytes: number,
): string {
  const own = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-'))
    .map(([name, value]) => `${name}:${value}\n`)
    .sort()
    .join('')
  const length = bytes === 0 ? '' : String(bytes)
  // Verb, encoding, language, length, MD5, type, date, four conditions and the range: of these a file has length and type.
  const lines = ['PUT', '', '', length, '', headers['content-type'], '', '', '', '', '', ''].join('\n')
  const text = `${lines}\n${own}/${account}${url.pathname}`
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64')
  return `SharedKey ${account}:${signature}`
}
