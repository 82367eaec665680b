import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** As much is read over and thrown away, so that the connection can be used again. */
const tinyBytes = 16 * 1024
const lingerMs = 1_000
/** Past this a sender is no longer listened to: throwing its bytes away costs time that others need. */
const lingerBytes = 2 ** 20
const lookMs = 10

/** To be asked before an answer goes out: if most of the request's body was left unread, the answer is the connection's last. */
export function hangUpOnUnread({ raw }: FastifyRequest, reply: FastifyReply) {
  const { 'content-length': length, 'transfer-encoding': chunked, expect } = raw.headers
  const large = chunked !== undefined || Number(length ?? 0) > tinyBytes
  // Whoever was not told to go on may send the body or the next request: nobody could tell which it is.
  if (raw.complete || !(large || (expect !== undefined && length !== undefined))) return
  reply.header('connection', 'close')
  const { socket } = raw
  socket.destroySoon = () => {
    let thrown = 0
    raw
      .once('end', () => socket.destroy())
      .on('data', (chunk: Buffer) => {
        thrown += chunk.length
        // At once, not when somebody looks next: a near sender brings many times as much in that time.
        if (thrown > lingerBytes) socket.pause()
      })
    part(socket)
  }
}

/** Cut with bytes unread, a line loses the answer on its way: for a moment what still comes is thrown away, then it is cut. */
export function part(socket: Socket) {
  const before = socket.bytesRead
  const watch = setInterval(() => {
    if (socket.bytesRead - before > lingerBytes) socket.pause()
  }, lookMs)
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => {
    clearInterval(watch)
    clearTimeout(cut)
  })
  socket.end()
}
