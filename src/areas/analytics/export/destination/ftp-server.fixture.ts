import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** Stage of a transfer. */
export type FtpMoment = 'login' | 'half' | 'stored' | 'renamed'

export interface FtpServer {
  port: number
  files: Map<string, Buffer>
  /** Received commands, without passwords. */
  asked: string[]
  /** Awaited at each stage before the server continues. */
  at: (time: FtpMoment) => Promise<void>
  stop(): Promise<void>
}

/** An FTP server per RFC 959 and RFC 2428, as far as uploads need it. No TLS. */
export async function startFtpServer(password = 'p@ss'): Promise<FtpServer> {
  const sockets = new Set<Socket>()
  const ftp: FtpServer = { port: 0, files: new Map(), asked: [], at: async () => {}, stop }
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    void serve(ftp, socket, password).catch(() => socket.destroy())
  })
  async function stop() {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ftp.port = portOf(server)
  return ftp
}

async function serve(ftp: FtpServer, socket: Socket, password: string) {
  const send = (line: string) => socket.write(`${line}\r\n`)
  let data: Promise<Socket> | undefined
  let renamed = ''
  send('220 Ready')
  for await (const line of createInterface({ input: socket })) {
    const [, verb = '', name = ''] = /^(\w+) ?(.*)$/.exec(line) ?? []
    ftp.asked.push(verb === 'PASS' ? verb : line)
    if (verb === 'USER') send('331 And the password?')
    else if (verb === 'PASS') {
      await ftp.at('login')
      send(name === password ? '230 Come in' : '530 No')
    } else if (verb === 'EPSV') {
      const listener = createServer()
      await once(listener.listen(0, '127.0.0.1'), 'listening')
      data = once(listener, 'connection').then(([one]) => {
        listener.close()
        return one
      })
      send(`229 Entering Extended Passive Mode (|||${portOf(listener)}|)`)
    } else if (verb === 'STOR' && data) {
      send('150 Send it')
      ftp.files.set(name, await received(ftp, await data))
      await ftp.at('stored')
      send('226 Got it')
    } else if (verb === 'SIZE') {
      const file = ftp.files.get(name)
      send(file ? `213 ${file.length}` : '550 There is no such file')
    } else if (verb === 'RNFR') {
      renamed = name
      send('350 To which name?')
    } else if (verb === 'RNTO') {
      ftp.files.set(name, ftp.files.get(renamed) ?? Buffer.alloc(0))
      ftp.files.delete(renamed)
      await ftp.at('renamed')
      send('250 Done')
    } else if (['TYPE', 'CWD', 'STRU', 'OPTS', 'PWD'].includes(verb)) send('200 Fine')
    else send('502 Not here')
  }
}

/** Bytes of the data connection, partial if aborted. */
async function received(ftp: FtpServer, socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of socket) {
      if (chunks.push(chunk as Buffer) === 1) await ftp.at('half')
    }
  } catch {}
  return Buffer.concat(chunks)
}

const portOf = (server: Server) => (server.address() as AddressInfo).port
