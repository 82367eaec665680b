import type { Spool } from './spool.ts'
import type { Store } from './store.ts'

/** Puts a complete file of the spool into the store, and only then removes it from the spool; doing it again does no harm. */
export async function moveIn(store: Store, spool: Spool, id: string, key: string, type: string): Promise<void> {
  const size = await spool.size(id)
  // A crash after the move and before anybody wrote that down.
  const done = size === 0 && (await store.size(key)) !== undefined
  if (!done) {
    // Bytes that were never recorded must not move along.
    await spool.truncate(id, size)
    const adopted = await store.adopt?.(key, spool.path(id))
    if (!adopted) await store.put(key, spool.read(id), size, type)
  }
  await spool.remove(id)
}
