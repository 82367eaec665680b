import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, explained, makeFolder, readRange, syncFolder, unlessMissing, writeAll } from './durable-files.ts'
import { fileNameOf, keyOf, refuseKey, type Store, StoredFileMissing, subfolderOf, wrongLength } from './store.ts'

/** Stores files in a local folder, which several processes may share. */
export function openFileStore(folder: string): Store {
  // On the same disk as the finished files, so that a rename never copies.
  const incoming = join(folder, 'incoming')
  const pathOf = (key: string) => join(folder, subfolderOf(key), fileNameOf(key))
  return {
    async put(key, source, bytes) {
      refuseKey(key)
      const partial = join(incoming, `${randomUUID()}.partial`)
      try {
        await makeFolder(incoming)
        await write(partial, key, source, bytes)
        await settle(partial, pathOf(key))
      } catch (error) {
        await rm(partial, { force: true }).catch(() => {})
        throw explained(error, key)
      }
    },
    async *read(key, from = 0, to = Number.POSITIVE_INFINITY) {
      yield* readRange(pathOf(key), key, from, to)
    },
    async size(key) {
      const found = await stat(pathOf(key)).catch(unlessMissing)
      return found?.size
    },
    list: () => list(folder),
    async remove(key) {
      const path = pathOf(key)
      await rm(path, { force: true })
      await syncFolder(dirname(path))
    },
    async adopt(key, path) {
      try {
        await syncFile(path)
        await settle(path, pathOf(key))
        await syncFolder(dirname(path))
        return true
      } catch (error) {
        if (codeOf(error) === 'EXDEV') return false
        throw codeOf(error) === 'ENOENT' ? new StoredFileMissing(key) : explained(error, key)
      }
    },
    sweep: (before) => sweep(incoming, before),
  }
}

async function* list(folder: string): AsyncGenerator<string> {
  const subfolders = ((await readdir(folder).catch(unlessMissing)) ?? []).filter((name) => /^[0-9a-f]{2}$/.test(name))
  for (const subfolder of subfolders.sort()) {
    for (const name of (await readdir(join(folder, subfolder)).catch(unlessMissing)) ?? []) {
      const key = keyOf(name)
      if (key) yield key
    }
  }
}

async function write(partial: string, key: string, source: AsyncIterable<Uint8Array>, bytes: number) {
  const handle = await open(partial, 'wx', 0o600)
  try {
    let size = 0
    for await (const chunk of source) {
      if (size + chunk.length > bytes) throw wrongLength(key, bytes)
      await writeAll(handle, chunk, size)
      size += chunk.length
    }
    if (size !== bytes) throw wrongLength(key, bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Renames a synced file to its final name and makes the name durable. */
async function settle(from: string, to: string) {
  await makeFolder(dirname(to))
  await rename(from, to)
  await syncFolder(dirname(to))
}

async function syncFile(path: string) {
  const handle = await open(path, 'r+')
  await handle.sync().finally(() => handle.close())
}

async function sweep(incoming: string, before: Date): Promise<number> {
  const names = (await readdir(incoming).catch(unlessMissing)) ?? []
  let swept = 0
  for (const name of names.filter((name) => name.endsWith('.partial'))) {
    const path = join(incoming, name)
    // A put in progress keeps updating its file.
    const found = await stat(path).catch(unlessMissing)
    if (!found || found.mtime >= before) continue
    await rm(path, { force: true })
    swept += 1
  }
  return swept
}
