import { type Agent, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { browser } from './links.fixture.ts'

export interface Shown {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

interface VisitOptions {
  method?: string
  /** The Host header; that of the address unless told. */
  host?: string
  headers?: Record<string, string>
  /** To ask on a connection that stays open. */
  agent?: Agent
}

/** Asks as a browser does that follows nothing, under any host. */
export function visit(url: string, { method = 'GET', host, headers = {}, agent }: VisitOptions = {}): Promise<Shown> {
  const all = { 'user-agent': browser, ...(host && { host }), ...headers }
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers: all, agent: agent ?? false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (data) => {
        body += data
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.on('error', reject)
    asking.end()
  })
}

export interface DatabaseProxy {
  /** The database's address through the proxy. */
  url: string
  /** Breaks every connection, and lets none through until told. */
  cut(): void
  restore(): void
  /** Breaks the connection once, when this text passes: before the server sees it, or after it has answered. */
  breakOnce(text: string, when: 'before' | 'after'): Promise<void>
  close(): void
}

/** Stands between the service and its database. */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  let isCut = false
  let trap: { text: string; when: 'before' | 'after'; sprung: () => void } | undefined
  const server = createServer((inner) => {
    if (isCut) return void inner.destroy()
    const outer = connect(Number(port), hostname)
    const pair: [Socket, Socket] = [inner, outer]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      inner.destroy()
      outer.destroy()
    }
    let swallowing: (() => void) | undefined
    inner.on('data', (data) => {
      if (trap && data.includes(trap.text)) {
        const { when, sprung } = trap
        trap = undefined
        if (when === 'before') {
          end()
          return sprung()
        }
        swallowing = sprung
      }
      outer.write(data)
    })
    outer.on('data', (data) => {
      if (!swallowing) return inner.write(data)
      end()
      swallowing()
      return true
    })
    for (const socket of pair) {
      socket.on('error', end)
      socket.on('close', end)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    url: url.href,
    cut() {
      isCut = true
      for (const [inner, outer] of pairs) for (const socket of [inner, outer]) socket.destroy()
    },
    restore() {
      isCut = false
    },
    breakOnce: (text, when) =>
      new Promise((sprung) => {
        trap = { text, when, sprung }
      }),
    close() {
      for (const [inner, outer] of pairs) for (const socket of [inner, outer]) socket.destroy()
      server.close()
    },
  }
}
