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
  let pendingBreak: { text: string; when: 'before' | 'after'; triggered: () => void } | undefined
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
    let dropping: (() => void) | undefined
    inner.on('data', (data) => {
      if (pendingBreak && data.includes(pendingBreak.text)) {
        const { when, triggered } = pendingBreak
        pendingBreak = undefined
        if (when === 'before') {
          end()
          return triggered()
        }
        dropping = triggered
      }
      outer.write(data)
    })
    outer.on('data', (data) => {
      if (!dropping) return inner.write(data)
      end()
      dropping()
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
      new Promise((triggered) => {
        pendingBreak = { text, when, triggered }
      }),
    close() {
      for (const [inner, outer] of pairs) for (const socket of [inner, outer]) socket.destroy()
      server.close()
    },
  }
}
