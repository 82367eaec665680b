import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MediaFiles } from './media.ts'

export interface LocalServer {
  port: number
  /** The URL of the next login callback. */
  callback(): Promise<URL>
  close(): Promise<void>
}

/** Receives login callbacks, and serves the media of the posts to networks that download it. */
export async function serveLocally(port: number, media: MediaFiles): Promise<LocalServer> {
  const contents = new Map(Object.values(media).map((file) => [`/media/${file.name}`, file]))
  let onCallback: (url: URL) => void = () => {}
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const file = contents.get(url.pathname)
    if (file) {
      response.writeHead(200, { 'content-type': file.mime, 'content-length': file.bytes })
      return response.end(request.method === 'HEAD' ? undefined : file.content)
    }
    const isCallback = ['code', 'auth_code', 'error'].some((name) => url.searchParams.has(name))
    response.writeHead(isCallback ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' })
    if (isCallback) onCallback(url)
    return response.end(
      isCallback ? 'Thank you. Go back to the terminal; this page can be closed.\n' : 'Nothing here.\n',
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} is in use. Choose another with --port.`) : error),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    callback: () =>
      new Promise((resolve) => {
        onCallback = resolve
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
