import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { Client, SFTPWrapper } from 'ssh2'
import { type Deliver, type Delivery, failed } from './destination.ts'

/** Uploaded under a temporary name, so that only complete files are visible. */
export const bySftp: Deliver = async (delivery) => {
  const { destination, signal } = delivery
  const { host = '' } = destination
  // Loaded on demand: rarely used, and slow to load at every start.
  const { default: ssh } = await import('ssh2')
  const client = new ssh.Client()
  const stop = () => client.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const hostKey = await connect(client, delivery)
    const sftp = await promisify(client.sftp.bind(client))()
    await Promise.race([uploadFile(sftp, delivery), connectionLost(client)])
    return { hostKey }
  } catch (error) {
    throw failed(host, error)
  } finally {
    signal.removeEventListener('abort', stop)
    client.destroy()
  }
}

/** Returns the server's verified host key. */
async function connect(client: Client, { outbound, destination, secret, signal }: Delivery): Promise<string> {
  const { host = '', port = 22, username = '', timeout = 30, hostKey: known = '' } = destination
  const timeoutMs = timeout * 1000
  const sock = await outbound.connect({ host, port, timeoutMs, signal })
  let received = ''
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve)
    client.on('error', (error) =>
      reject(known !== '' && received !== '' && received !== known ? otherKey(received) : error),
    )
    client.once('close', () => reject(new Error('It closed the connection.')))
    client.connect({
      sock,
      username,
      password: secret,
      readyTimeout: timeoutMs,
      // Disconnects from an unresponsive server.
      keepaliveInterval: timeoutMs,
      keepaliveCountMax: 2,
      hostVerifier: (key: Buffer) => {
        received = createHash('sha256').update(key).digest('base64').replace('=', '')
        return known === '' || received === known
      },
    })
  })
  return received
}

const otherKey = (received: string) =>
  new Error(
    `Its key is another than before (SHA256:${received}). If that is right, set destination[hostKey] to it; otherwise somebody stands between.`,
  )

const connectionLost = (client: Client): Promise<never> =>
  new Promise((_, reject) => {
    client.once('error', reject)
    client.once('close', () => reject(new Error('It closed the connection.')))
  })

async function uploadFile(sftp: SFTPWrapper, { destination: { directory = '' }, file }: Delivery) {
  const within = (name: string) => (directory === '' ? name : `${directory === '/' ? '' : directory}/${name}`)
  const [final, partial] = [within(file.name), within(`.${file.name}.part`)]
  // A previous attempt succeeded, but its response was lost.
  if ((await sizeOf(sftp, final)) === file.bytes) return
  await pipeline(Readable.from(file.read(), { objectMode: false }), sftp.createWriteStream(partial))
  const delivered = await sizeOf(sftp, partial)
  if (delivered !== file.bytes) throw new Error(`Only ${delivered ?? 0} of ${file.bytes} bytes arrived.`)
  await rename(sftp, partial, final)
}

/** Atomic if the server can replace files; otherwise a file in the way is left over from the same run. */
async function rename(sftp: SFTPWrapper, from: string, to: string) {
  try {
    await promisify(sftp.ext_openssh_rename.bind(sftp))(from, to)
  } catch {
    if ((await sizeOf(sftp, to)) !== undefined) await promisify(sftp.unlink.bind(sftp))(to)
    await promisify(sftp.rename.bind(sftp))(from, to)
  }
}

const noSuchFile = 2

function sizeOf(sftp: SFTPWrapper, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    sftp.stat(path, (error, stats) => {
      if (!error) resolve(stats.size)
      else if ((error as { code?: unknown }).code === noSuchFile) resolve(undefined)
      else reject(error)
    })
  })
}
