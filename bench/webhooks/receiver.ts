import { createServer } from 'node:net'

/**
 * Receives POST requests in a separate process; GET returns their number and duration, DELETE
 * resets both. It parses only the required subset of HTTP: a full server would be slower than some competitors.
 */
let count = 0
let first = 0
let last = 0
const done = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

const server = createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (data) => {
    rest = rest.length > 0 ? Buffer.concat([rest, data]) : data
    for (;;) {
      const head = rest.indexOf('\r\n\r\n')
      if (head < 0) return
      const text = rest.toString('latin1', 0, head)
      const end = head + 4 + Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0)
      if (rest.length < end) return
      rest = rest.subarray(end)
      socket.write(response(text))
    }
  })
})

function response(head: string): string {
  if (head.startsWith('POST')) {
    last = performance.now()
    if (count++ === 0) first = last
    return done
  }
  const body = JSON.stringify({ count, seconds: (last - first) / 1000 })
  if (head.startsWith('DELETE')) count = 0
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
