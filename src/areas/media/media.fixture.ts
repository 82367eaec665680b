import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { mp4 } from '#kernel/media-inspector/fixtures/mp4.fixture.ts'
import { pdf } from '#kernel/media-inspector/fixtures/pdf.fixture.ts'

/** Generated files of each kind. */
export async function sampleFiles() {
  const picture = sharp({ create: { width: 640, height: 480, channels: 3, background: '#2456d6' } })
  return {
    'photo.jpg': await picture.clone().jpeg().toBuffer(),
    'logo.png': await picture.clone().png().toBuffer(),
    'film.mp4': mp4(),
    'paper.pdf': pdf(3),
    'page.html': Buffer.from('<!doctype html><script>alert(1)</script>'),
  }
}

/** A file server that looks public to the service: HEAD, GET and ranges. */
export async function serveFiles(files: { [name: string]: Buffer }) {
  const server: Server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '/').slice(1).split('?')[0] ?? '')
    const bytes = files[name]
    if (!bytes) return response.writeHead(404).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1)
    response.writeHead(from === undefined ? 200 : 206, {
      'content-length': part.length,
      'accept-ranges': 'bytes',
      etag: `"${bytes.length}"`,
      ...(from !== undefined && { 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}` }),
    })
    return response.end(request.method === 'HEAD' ? undefined : part)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
