import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ssh from 'ssh2'

const { OK, NO_SUCH_FILE } = ssh.utils.sftp.STATUS_CODE

/** An SFTP server that keeps files in memory. */
export async function startSftpServer(password = 'p@ss') {
  const keys = ssh.utils.generateKeyPairSync('ed25519')
  const files = new Map<string, Buffer>()
  const connections = new Set<ssh.Connection>()
  const server = new ssh.Server({ hostKeys: [keys.private] }, (connection) => {
    connections.add(connection)
    connection.on('error', () => {})
    connection.on('authentication', (attempt) => {
      if (attempt.method === 'password' && attempt.password === password) attempt.accept()
      else attempt.reject(['password'])
    })
    connection.on('session', (accept) => accept().on('sftp', (take) => serve(take(), files)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const publicKey = Buffer.from(keys.public.split(' ')[1] ?? '', 'base64')
  return {
    port: (server.address() as AddressInfo).port,
    files,
    hostKey: createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, ''),
    stop: () => {
      for (const connection of connections) connection.end()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A handle is the name of its file. */
function serve(sftp: ssh.SFTPWrapper, files: Map<string, Buffer>) {
  const sized = (id: number, path: string) => {
    const file = files.get(path)
    if (!file) return sftp.status(id, NO_SUCH_FILE)
    sftp.attrs(id, { mode: 0o100600, uid: 0, gid: 0, size: file.length, atime: 0, mtime: 0 })
  }
  sftp.on('OPEN', (id, path) => {
    files.set(path, Buffer.alloc(0))
    sftp.handle(id, Buffer.from(path))
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    const path = handle.toString()
    const before = files.get(path) ?? Buffer.alloc(0)
    const after = Buffer.alloc(Math.max(before.length, offset + data.length))
    before.copy(after)
    data.copy(after, offset)
    files.set(path, after)
    sftp.status(id, OK)
  })
  sftp.on('FSTAT', (id, handle) => sized(id, handle.toString()))
  sftp.on('STAT', sized)
  sftp.on('FSETSTAT', (id) => sftp.status(id, OK))
  sftp.on('CLOSE', (id) => sftp.status(id, OK))
  sftp.on('REMOVE', (id, path) => sftp.status(id, files.delete(path) ? OK : NO_SUCH_FILE))
  sftp.on('RENAME', (id, from, to) => {
    const file = files.get(from)
    if (!file) return sftp.status(id, NO_SUCH_FILE)
    files.delete(from)
    files.set(to, file)
    sftp.status(id, OK)
  })
}
