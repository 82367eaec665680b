import { open } from 'node:fs/promises'
import { type ProbeSource, UnusableFile } from './probe.ts'

/** Opens a local file to be read piece by piece. */
export async function openFile(path: string): Promise<ProbeSource & { close(): Promise<void> }> {
  const file = await open(path)
  const { size, isFile } = await file.stat().then((found) => ({ size: found.size, isFile: found.isFile() }))
  if (!isFile) {
    await file.close()
    throw new Error(`${path} is not a file.`)
  }
  return {
    bytes: size,
    async read(from, to) {
      const wanted = Buffer.alloc(Math.max(0, Math.min(to, size) - from))
      const { bytesRead } = await file.read(wanted, 0, wanted.length, from)
      if (bytesRead < wanted.length) throw new UnusableFile('The file became shorter while it was being read.')
      return wanted
    },
    close: () => file.close(),
  }
}
