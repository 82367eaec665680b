import { createHmac } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { minute } from '#kernel/clock.ts'
import { s3Calls } from '#kernel/storage/s3-client.ts'
import { upload } from '#kernel/storage/s3-store.ts'
import { elementText } from '#kernel/text-parts.ts'
import { byFtp } from './by-ftp.ts'
import { bySftp } from './by-sftp.ts'
import type { DestinationType } from './destination.ts'
import { type Deliver, failed, zipType } from './destination.ts'

/** Encoding adds a third; many servers accept ten megabytes. */
const mostAttached = 7 * 2 ** 20

/**
 * An email with the file, or with a link if it is too large. After a lost response it is sent again with the same Message-ID: SMTP
 * has no way to find out.
 */
const byMail: Deliver = async ({ mailer, destination, file, id, about }) => {
  const { email = '', firstName = '' } = destination
  const isAttached = file.bytes <= mostAttached
  const scope = isAttached ? 'The file is attached.' : `The file is too large for a mail. Fetch it here: ${about.url}`
  const content = isAttached ? await buffer(file.read()) : undefined
  await mailer.send({
    id,
    to: email,
    subject: about.subject,
    text: `Hello ${firstName || email},\n\n${about.text}\n\n${scope}\n`,
    ...(content && { attachment: { name: file.name, type: zipType, content } }),
  })
  return {}
}

/** In one request, or as a multipart upload: the object is never incomplete. */
const byS3: Deliver = async ({ outbound, destination, secret, file, signal }) => {
  const { bucketName: bucket = '', path: prefix = '', region = '', endpoint = '', accessKey = '' } = destination
  const settings = { endpoint, bucket, prefix, region, accessKey, secretKey: secret, pathStyle: true }
  const stoppable = { send: (request: Parameters<typeof outbound.send>[0]) => outbound.send({ ...request, signal }) }
  try {
    await upload(
      s3Calls(settings, { outbound: stoppable }),
      { key: file.name, bytes: file.bytes, type: zipType },
      file.read(),
    )
    return {}
  } catch (error) {
    throw failed(new URL(endpoint).host, error)
  }
}

/** API version. */
const version = '2023-11-03'
/** Bytes per millisecond: slower transfers are aborted. */
const slowest = 64

/** One Put Blob request: the blob exists once complete, and replaces that of a previous attempt. */
const byAzure: Deliver = async ({ outbound, destination, secret, file, now, signal }) => {
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

/** Shared Key: an HMAC over the request. */
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
  // Verb, encoding, language, length, MD5, type, date, four conditions and the range: only length and type are used.
  const lines = ['PUT', '', '', length, '', headers['content-type'], '', '', '', '', '', ''].join('\n')
  const text = `${lines}\n${own}/${account}${url.pathname}`
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64')
  return `SharedKey ${account}:${signature}`
}

/** Delivery by type of destination. */
export const deliverers: { readonly [type in DestinationType]: Deliver } = {
  email: byMail,
  azure: byAzure,
  FTP: byFtp,
  SFTP: bySftp,
  S3_bucket: byS3,
}
