// Runs in a process of its own: how much of its memory is held, and not only not collected yet, is quickly told where there is little of it.
import { generated } from './bytes.fixture.ts'
import { openFileStore } from './file-store.ts'
import { openS3Store } from './s3-store.ts'
import type { S3Settings } from './storage-url.ts'

const mebibyte = 2 ** 20
const [bytes = '', ...places] = process.argv.slice(2)
const size = Number(bytes)
let before = 0
let most = 0

function held() {
  globalThis.gc?.()
  return process.memoryUsage().arrayBuffers
}

/** Hands the chunks on and looks now and then what is held. */
async function* looking(chunks: AsyncIterable<Uint8Array>) {
  let next = 0
  let passed = 0
  for await (const chunk of chunks) {
    if (passed >= next) {
      most = Math.max(most, held() - before)
      next += 4 * mebibyte
    }
    passed += chunk.length
    yield chunk
  }
}

/** Puts a large file there and reads it again. */
async function measure(place: string | S3Settings) {
  const store = typeof place === 'string' ? openFileStore(place) : openS3Store(place)
  await store.put('warm', generated(9 * mebibyte), 9 * mebibyte, 'video/mp4')
  before = held()
  most = 0
  await store.put('large', looking(generated(size)), size, 'video/mp4')
  let read = 0
  for await (const chunk of looking(store.read('large'))) read += chunk.length
  return { read, growth: most / mebibyte }
}

const found = []
for (const place of places) found.push(await measure(JSON.parse(place)))
process.stdout.write(JSON.stringify(found))
process.exit()
