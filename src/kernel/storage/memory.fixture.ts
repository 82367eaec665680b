// Runs in a process of its own: how much of its memory is held, and not only not collected yet, is quickly told where there is little of it.
import { generated } from './bytes.fixture.ts'
import { openFileStore } from './file-store.ts'
import { openS3Store } from './s3-store.ts'
import type { S3Settings } from './storage-url.ts'

const mebibyte = 2 ** 20
const [bytes = '', place = ''] = process.argv.slice(2)
const size = Number(bytes)
const settings: string | S3Settings = JSON.parse(place)
const store = typeof settings === 'string' ? openFileStore(settings) : openS3Store(settings)

function held() {
  globalThis.gc?.()
  return process.memoryUsage().arrayBuffers
}

await store.put('warm', generated(16 * mebibyte), 16 * mebibyte, 'video/mp4')
const before = held()
let most = 0
const look = setInterval(() => {
  most = Math.max(most, held() - before)
}, 20)
await store.put('large', generated(size), size, 'video/mp4')
let read = 0
for await (const chunk of store.read('large')) read += chunk.length
clearInterval(look)
process.stdout.write(JSON.stringify({ read, growth: most / mebibyte }))
process.exit()
