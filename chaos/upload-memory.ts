import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type InstallationOptions, openInstallation } from './installation.ts'
import { memoryOf } from './processes.ts'
import { videoHeader } from './upload-kills.ts'

const MiB = 2 ** 20

interface MemoryOptions extends Pick<InstallationOptions, 'small' | 'opened'> {
  bytes: number
  log?: (line: string) => void
}

/** Downloads one large file of zeros and measures the memory of the worker. */
export async function uploadMemory({ bytes, small, opened, log = () => {} }: MemoryOptions) {
  const source = await serveZeros(bytes)
  const installation = await openInstallation({ small, opened })
  const worker = await installation.startWorker()
  try {
    // A small file first, so that loading code is not measured.
    await finished(installation, source.url('small'), () => {})
    await sleep(500)
    const before = memoryOf(worker.child.pid)
    let peak = before
    const started = performance.now()
    const status = await finished(installation, source.url('large'), (done) => {
      peak = Math.max(peak, memoryOf(worker.child.pid))
      log(`${Math.round(done / MiB)} MiB, memory ${memoryOf(worker.child.pid)} MiB`)
    })
    const seconds = Math.round((performance.now() - started) / 1000)
    return { mebibytes: bytes / MiB, status, before, most: peak, raised: peak - before, seconds }
  } finally {
    worker.child.kill('SIGTERM')
    await worker.ended
    await installation.stop()
    await source.close()
  }
}

type Opened = Awaited<ReturnType<typeof openInstallation>>

async function finished({ admin }: Opened, source: string, onProgress: (done: number) => void): Promise<string> {
  const { json } = await admin('POST /upload', { body: { source, name: 'film.mp4', mimeType: 'video/mp4' } })
  for (;;) {
    const { Upload } = (await admin(`GET /upload/${json.Upload.Id}`)).json
    onProgress(Upload.Downloaded)
    if (Upload.Status !== 'pending') return Upload.Status
    await sleep(250)
  }
}

/** A video header followed by zeros, generated on demand. */
async function serveZeros(large: number) {
  const zeros = Buffer.alloc(MiB)
  const server = createServer(async (request, response) => {
    const size = request.url?.includes('large') ? large : MiB
    const head = videoHeader(size)
    const [, first = '0', last = String(size - 1)] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const [from, to] = [Number(first), Math.min(Number(last) + 1, size)]
    response.writeHead(request.headers.range ? 206 : 200, {
      'content-length': to - from,
      'accept-ranges': 'bytes',
      etag: '"zeros"',
      ...(request.headers.range && { 'content-range': `bytes ${from}-${to - 1}/${size}` }),
    })
    if (request.method === 'HEAD') return response.end()
    for (let at = from; at < to; ) {
      const chunk =
        at < head.length ? head.subarray(at, Math.min(head.length, to)) : zeros.subarray(0, Math.min(MiB, to - at))
      at += chunk.length
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve))
    }
    return response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: (name: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
