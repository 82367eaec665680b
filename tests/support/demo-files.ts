import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyOf } from '#areas/media/file/stored-file.ts'
import { demoMedia } from '#main/project.ts'
import { testFiles } from './files.ts'

export const demoAccount = '001demo00000001'

let known: Promise<{ key: string; content: Buffer }[]> | undefined

/** Restores demo files that an earlier test deleted: all tests of a worker share one folder. */
export async function keepDemoFiles() {
  known ??= readDemoFiles()
  for (const { key, content } of await known)
    if ((await testFiles.store.size(key)) !== content.length)
      await testFiles.store.put(key, only(content), content.length, 'application/octet-stream')
}

async function readDemoFiles() {
  const names = await readdir(demoMedia)
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(demoMedia, name))
      return { key: keyOf(demoAccount, createHash('sha256').update(content).digest('hex')), content }
    }),
  )
}

async function* only(content: Uint8Array) {
  yield content
}
