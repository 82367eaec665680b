import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One white pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

export async function servePicture() {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': png.length, etag: '"pixel"' })
    response.end(request.method === 'HEAD' ? undefined : png)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pixel.png`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
