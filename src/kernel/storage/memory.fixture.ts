// Runs in its own process: with little memory, retained memory is quickly distinguished from garbage that is not yet collected.
import { generated } from './bytes.fixture.ts'
import { openFileStore } from './file-store.ts'
import { openS3Store } from './s3-store.ts'
import type { S3Settings } from './storage-url.ts'

const mebibyte = 2 ** 20
const [bytes = '', ...settings] = process.argv.slice(2)
const size = Number(bytes)
let before = 0
let most = 0

function held() {
  globalThis.gc?.()
  return process.memoryUsage().arrayBuffers
}

/** Passes the chunks through and samples the retained memory now and then. */
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

/** Stores a large file and reads it again. */
async function measure(setting: string | S3Settings) {
  const store = typeof setting === 'string' ? openFileStore(setting) : openS3Store(setting)
  await store.put('warm', generated(9 * mebibyte), 9 * mebibyte, 'video/mp4')
  before = held()
  most = 0
  await store.put('large', looking(generated(size)), size, 'video/mp4')
  let read = 0
  for await (const chunk of looking(store.read('large'))) read += chunk.length
  return { read, growth: most / mebibyte }
}

const found = []
for (const setting of settings) found.push(await measure(JSON.parse(setting)))
process.stdout.write(JSON.stringify(found))
process.exit()
