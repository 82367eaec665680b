import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmitter } from '../tests/support/emitter.ts'
import { startRawReceiver } from '../tests/support/external-servers.ts'
import { account, openInstallation } from './installation.ts'
import { memoryOf } from './processes.ts'

export interface HostilityReport {
  receiver: string
  /** From the webhook log. */
  responseCode: number
  seconds: number
  /** Data sent by the receiver, including network buffers. */
  sentKiB: number
}

const hostile: Record<string, (socket: Socket) => void> = {
  'sends 5 GB': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5368709120\r\n\r\n')
    const chunk = Buffer.alloc(65_536, 'x')
    const writeUntilFull = () => {
      while (!socket.destroyed && socket.write(chunk));
      socket.once('drain', writeUntilFull)
    }
    writeUntilFull()
  },
  'drips bytes': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 200)
    socket.once('close', () => clearInterval(timer))
  },
  'drips headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x-header: 1\r\n'), 200)
    socket.once('close', () => clearInterval(timer))
  },
  'sends headers without end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const header = `x-header: ${'x'.repeat(60_000)}\r\n`
    const writeUntilFull = () => {
      while (!socket.destroyed && socket.write(header));
      socket.once('drain', writeUntilFull)
    }
    writeUntilFull()
  },
  'redirects to itself': (socket) => socket.end('HTTP/1.1 307 Again\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'),
  'speaks nonsense': (socket) => socket.end('\x00\x01\x02 hello \xff\r\n\r\n'),
  'never answers': () => {},
  'hangs up': (socket) => socket.destroy(),
}

/** Measures the cost of hostile webhook receivers. */
export async function webhookHostility(): Promise<{
  reports: HostilityReport[]
  memoryMiB: { first: number; later: number }
}> {
  const installation = await openInstallation()
  const worker = await installation.startWorker()
  const emitter = openEmitter(installation.databaseUrl, account)
  const receivers = await Promise.all(
    Object.entries(hostile).map(async ([name, act]) => ({ name, ...(await startRawReceiver(act)) })),
  )
  try {
    const webhooks: [id: string, receiver: (typeof receivers)[number]][] = []
    for (const receiver of receivers) {
      const body = { event: 'postSent', name: receiver.name, url: receiver.url }
      webhooks.push([(await installation.admin('POST /webhook', { body })).json.Webhook.Id, receiver])
    }
    /** Peak memory of the worker during the deliveries. */
    const measurePeakMemory = async () => {
      let peak = 0
      await emitter.emit('postSent', [{ Id: '004' }])
      for (let elapsed = 0; elapsed < 18_000; elapsed += 100) {
        peak = Math.max(peak, memoryOf(worker.child.pid))
        await sleep(100)
      }
      return peak
    }
    // The first time includes loading and compiling code.
    const first = await measurePeakMemory()
    const later = Math.max(await measurePeakMemory(), await measurePeakMemory())
    const reports: HostilityReport[] = []
    for (const [id, { name, sent }] of webhooks) {
      const { Items } = (await installation.admin(`GET /webhook-log/${id}`)).json
      const { ResponseCode: responseCode, ExecutionTime: seconds } = Items.at(-1)
      reports.push({ receiver: name, responseCode, seconds, sentKiB: Math.round(sent() / 1024) })
    }
    return { reports, memoryMiB: { first, later } }
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended
    await emitter.close()
    await Promise.all(receivers.map((receiver) => receiver.stop()))
    await installation.stop()
  }
}
