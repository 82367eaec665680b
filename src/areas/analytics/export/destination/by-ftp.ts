import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { Client, type FTPContext, FTPError, type FTPResponse } from 'basic-ftp'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { type Deliver, type Delivery, failed } from './destination.ts'

/** Uploaded under a temporary name, so that only complete files are visible. */
export const byFtp: Deliver = async (delivery) => {
  const { destination, signal } = delivery
  const { host = '', timeout = 30 } = destination
  const client = new Client(timeout * 1000)
  const stop = () => client.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await logIn(client, delivery)
    await uploadFile(client, delivery)
    return {}
  } catch (error) {
    throw failed(host, error)
  } finally {
    signal.removeEventListener('abort', stop)
    client.close()
  }
}

async function logIn(client: Client, { outbound, destination, secret, signal }: Delivery) {
  const { host = '', port = 21, username = '', secure = true, directory = '', timeout = 30 } = destination
  const timeoutMs = timeout * 1000
  const socket = await outbound.connect({ host, port, timeoutMs, signal })
  // Names only: an IP address must not be sent as SNI, but is still compared with the certificate.
  const tls = { host, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: true }
  const isImplicit = secure && port === implicitPort
  client.ftp.socket = isImplicit ? connectTls({ ...tls, socket }) : socket
  client.ftp.tlsOptions = tls
  client.prepareTransfer = (ftp) => openData(ftp, outbound, host, timeoutMs)
  await greeted(client.ftp)
  if (secure && !isImplicit) await client.useTLS(tls)
  await client.login(username, secret)
  await client.useDefaultSettings()
  if (directory !== '') await client.cd(directory)
}

const implicitPort = 990

/** The server sends first. */
const greeted = (ftp: FTPContext): Promise<FTPResponse> =>
  ftp.handle(undefined, (response, task) => {
    if (response instanceof Error) task.reject(response)
    else if (response.code >= 200 && response.code < 300) task.resolve(response)
    else if (response.code >= 300) task.reject(new FTPError(response))
  })

/** The server names the port of each transfer. The control connection's address is used, since another could belong to anyone. */
async function openData(ftp: FTPContext, outbound: Outbound, host: string, timeoutMs: number): Promise<FTPResponse> {
  const { answer: response, port } = await passive(ftp)
  const socket = await outbound.connect({ host, port, timeoutMs })
  const control = ftp.socket
  if ('getSession' in control) {
    // Servers require TLS session resumption, to prevent hijacked data connections.
    const session = ftp.tlsSessionStore ?? control.getSession()
    ftp.dataSocket = connectTls({ ...ftp.tlsOptions, socket, ...(session && { session }) })
  } else ftp.dataSocket = socket
  return response
}

async function passive(ftp: FTPContext): Promise<{ answer: FTPResponse; port: number }> {
  const extended = await ftp.request('EPSV').catch((error: unknown) => {
    if (error instanceof FTPError) return undefined
    throw error
  })
  const [, port] = /\(\|\|\|(\d{1,5})\|\)/.exec(extended?.message.slice(0, 200) ?? '') ?? []
  if (extended && port) return { answer: extended, port: Number(port) }
  const response = await ftp.request('PASV')
  const [, high, low] = /(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})/.exec(response.message.slice(0, 200)) ?? []
  if (high === undefined) throw new Error('It does not say where a file can be sent to.')
  return { answer: response, port: Number(high) * 256 + Number(low) }
}

async function uploadFile(client: Client, { file }: Delivery) {
  // A previous attempt succeeded, but its response was lost.
  if ((await sizeOf(client, file.name)) === file.bytes) return
  const partial = `.${file.name}.part`
  await client.uploadFrom(Readable.from(file.read(), { objectMode: false }), partial)
  const delivered = await sizeOf(client, partial)
  if (delivered !== undefined && delivered !== file.bytes)
    throw new Error(`Only ${delivered} of ${file.bytes} bytes arrived.`)
  try {
    await client.rename(partial, file.name)
  } catch (error) {
    // Some servers don't overwrite: the existing file is left over from the same run.
    if (!(error instanceof FTPError) || (await sizeOf(client, file.name)) === undefined) throw error
    await client.remove(file.name)
    await client.rename(partial, file.name)
  }
}

/** Undefined if missing, or if the server doesn't report sizes. */
const sizeOf = (client: Client, name: string): Promise<number | undefined> =>
  client.size(name).catch((error: unknown) => {
    if (error instanceof FTPError) return undefined
    throw error
  })
