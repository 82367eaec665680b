import { connect, createServer, type Socket } from 'node:net'

export interface DatabaseProxy {
  /** URL of the database through the proxy. */
  url: string
  /** Closes all connections and accepts none until restored. */
  cut(): void
  restore(): void
  /** Breaks the connection once when this text passes: before the server receives it, or after it has responded. */
  breakOnce(text: string, when: 'before' | 'after'): Promise<void>
  /** No data passes and no connection closes, as if the server were suspended. */
  freeze(): void
  thaw(): void
  close(): void
}

/** A proxy between the service and its database. */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  let isCut = false
  let isFrozen = false
  let trap: { text: string; when: 'before' | 'after'; sprung: () => void } | undefined
  const server = createServer((inner) => {
    if (isCut) return void inner.destroy()
    const outer = connect(Number(port), hostname)
    const pair: [Socket, Socket] = [inner, outer]
    pairs.add(pair)
    if (isFrozen) for (const socket of pair) socket.pause()
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
  // Removes the Unix socket, which would bypass the proxy.
  url.searchParams.delete('host')
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
    freeze() {
      isFrozen = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
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
