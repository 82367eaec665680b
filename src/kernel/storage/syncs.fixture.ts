import { type FileHandle, open } from 'node:fs/promises'

/** Collects observations at each fsync during the work. */
export async function atEachSync<Seen>(observe: () => Promise<Seen>, work: () => Promise<unknown>): Promise<Seen[]> {
  const handle = await open('.', 'r')
  const handles = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const { sync } = handles
  const seen: Seen[] = []
  handles.sync = async function (this: FileHandle) {
    seen.push(await observe())
    await sync.call(this)
  }
  await work().finally(() => {
    handles.sync = sync
  })
  return seen
}
