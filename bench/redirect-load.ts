import { connect } from 'node:net'

export interface Load {
  port: number
  connections: number
  seconds: number
  /** What a connection asks: a whole request, with `########` in the place of the hash. */
  request(connection: number): string
  /** The hashes it asks for in turn, again and again. */
  hashes(): readonly string[]
}

export interface Figures {
  rate: number
  /** In milliseconds. */
  p99: number
}

const hashPlace = '########'
const redirect = Buffer.from('HTTP/1.1 302')
const headEnd = Buffer.from('\r\n\r\n')

/**
 * Asks over open connections, one request at a time on each, and takes nothing but redirects. It does as little as it can: it
 * shares the cores with what is measured.
 */
export async function redirectLoad({ port, connections, seconds, request, hashes }: Load): Promise<Figures> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  const ask = (number: number) =>
    new Promise<void>((resolve, reject) => {
      // One piece of memory for all that this connection asks: nothing new has to be made, nor fetched from far away.
      const asking = Buffer.from(request(number), 'latin1')
      const place = asking.indexOf(hashPlace)
      const wanted = Buffer.from(hashes().join(''), 'latin1')
      let next = 0
      let asked = 0
      let before: Buffer | undefined
      const socket = connect(port, '127.0.0.1').setNoDelay()
      const send = () => {
        asked = performance.now()
        if (asked >= end) {
          socket.destroy()
          return resolve()
        }
        wanted.copy(asking, place, next, next + hashPlace.length)
        next = (next + hashPlace.length) % wanted.length
        socket.write(asking)
      }
      socket.on('connect', send)
      socket.on('data', (data: Buffer) => {
        const answer = before ? Buffer.concat([before, data]) : data
        before = undefined
        if (!isWhole(answer)) before = answer
        else if (answer.compare(redirect, 0, redirect.length, 0, redirect.length) !== 0) {
          socket.destroy()
          reject(new Error(`not a redirect: ${answer.toString('latin1', 0, 200)}`))
        } else {
          latencies.push(performance.now() - asked)
          send()
        }
      })
      socket.on('error', reject)
      socket.on('end', () => reject(new Error('the server hung up')))
    })
  await Promise.all(Array.from({ length: connections }, (_, number) => ask(number)))
  const took = (performance.now() - start) / 1000
  const sorted = Float64Array.from(latencies).sort()
  return { rate: sorted.length / took, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** Redirects have no content, except those of nginx. */
function isWhole(answer: Buffer): boolean {
  if (answer.length < redirect.length) return false
  if (answer.compare(headEnd, 0, 4, answer.length - 4) === 0) return true
  const end = answer.indexOf(headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, end))?.[1]
  return end >= 0 && answer.length - end - 4 === Number(length)
}
