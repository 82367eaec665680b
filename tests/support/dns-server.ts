import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** DNS response for a name: an alias, an IP address, NXDOMAIN, SERVFAIL, or none at all. */
export type DnsAnswer = { cname: string } | { a: string } | 'NXDOMAIN' | 'SERVFAIL' | 'silence'

const types = { a: 1, cname: 5 }

/** A local DNS server; unknown names do not exist. */
export async function startDnsServer(records: { [name: string]: DnsAnswer } = {}) {
  const known = new Map(Object.entries(records))
  let queries = 0
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    queries++
    const { name, type, question } = readQuery(query)
    const answer = known.get(name) ?? known.get(`*.${name.split('.').slice(1).join('.')}`) ?? 'NXDOMAIN'
    if (answer !== 'silence') socket.send(reply(query, question, type, answer), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** `*.example.com` matches all direct subdomains. */
    set: (name: string, answer: DnsAnswer) => known.set(name, answer),
    queries: () => queries,
    close: () => new Promise<void>((done) => socket.close(() => done())),
  }
}

/** After a header of 12 bytes: labels with a length prefix, a zero, the type, the class. */
function readQuery(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  }
}

function reply(query: Buffer, question: Buffer, type: number, answer: Exclude<DnsAnswer, 'silence'>): Buffer {
  const code = answer === 'NXDOMAIN' ? 3 : answer === 'SERVFAIL' ? 2 : 0
  const record = typeof answer === 'string' ? undefined : recordOf(answer, type)
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  // A response, with recursion desired and available.
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(record ? 1 : 0, 6)
  return Buffer.concat([head, question, record ?? Buffer.alloc(0)])
}

/** Undefined if the name has only a record of another type; an alias is returned for every type. */
function recordOf(answer: { cname: string } | { a: string }, type: number): Buffer | undefined {
  if ('a' in answer) return type === types.a ? record(types.a, Buffer.from(answer.a.split('.').map(Number))) : undefined
  const labels = answer.cname.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  return record(types.cname, Buffer.concat([...labels, Buffer.from([0])]))
}

function record(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(12)
  // A pointer to the name in the question, at byte 12.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(content.length, 10)
  return Buffer.concat([head, content])
}
