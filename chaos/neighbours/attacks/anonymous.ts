import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attacker } from '../attacker.ts'

const MiB = 2 ** 20
const sockets = 80
/** A quarter of a second before reconnecting. */
const pauseMs = 250

type SocketAttack = (socket: Socket) => Promise<void>

/** Eighty unauthenticated sockets: large bodies, fast and slow, idle connections, partial requests, and wrong keys. */
export async function anonymous(attacker: Attacker) {
  const { count, targets } = attacker
  const { hostname, port } = new URL(targets.url)
  const runAttack = async (attack: SocketAttack) => {
    for (;;) {
      const socket = connect(Number(port), hostname)
      count('asked')
      socket.on('error', () => {})
      socket.on('data', (data) => {
        for (const [, status = ''] of data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) count(status)
      })
      const closed = new Promise((resolve) => socket.once('close', resolve))
      await Promise.race([attack(socket).then(() => closed), closed])
      socket.destroy()
      await sleep(pauseMs)
    }
  }
  await Promise.all(
    Array.from({ length: sockets }, (_, index) =>
      runAttack(socketAttacks[index % socketAttacks.length] as SocketAttack),
    ),
  )
}

const head = (first: string, more: readonly string[]) =>
  `${[`${first} HTTP/1.1`, 'Host: 127.0.0.1', ...more].join('\r\n')}\r\n\r\n`

const wrongKey = () =>
  `Authorization: Basic ${Buffer.from(`001demo00000001:wrong-${Math.random()}`).toString('base64')}`

const uploadRequest = 'PUT /app/api/media/021none00000001?offset=0'
/** All but the last byte, so that the request stays open. */
const incompleteBody = Buffer.alloc(8 * MiB - 1)

async function drip(socket: Socket) {
  while (socket.writable) {
    socket.write(Buffer.alloc(1024))
    await sleep(500)
  }
}

const sendHeaders = (socket: Socket, credentials: readonly string[], first: string, bytes: number) =>
  socket.write(head(first, [...credentials, 'Content-Type: application/octet-stream', `Content-Length: ${bytes}`]))

const socketAttacks: readonly SocketAttack[] = [
  async (socket) => {
    sendHeaders(socket, [], uploadRequest, 8 * MiB)
    socket.write(incompleteBody)
  },
  async (socket) => {
    sendHeaders(socket, [wrongKey()], uploadRequest, 8 * MiB)
    socket.write(incompleteBody)
  },
  async (socket) => {
    sendHeaders(socket, [wrongKey()], 'POST /v2/message', MiB)
    socket.write(incompleteBody.subarray(0, MiB - 1))
  },
  async (socket) => {
    sendHeaders(socket, [wrongKey()], uploadRequest, 8 * MiB)
    await drip(socket)
  },
  async (socket) => {
    sendHeaders(socket, [], 'POST /v2/message', MiB)
    await drip(socket)
  },
  async () => {},
  async (socket) => void socket.write('GET /v2/me HTTP/1.1\r\nHost: 127.0'),
  // One request after another, each with an invalid key.
  async (socket) => {
    while (socket.writable) {
      socket.write(head('GET /v2/me', [wrongKey()]))
      await Promise.race([new Promise((resolve) => socket.once('data', resolve)), sleep(5_000)])
    }
  },
]
