import { openFile } from './file-source.ts'
import type { Task } from './look.ts'
import type { Probe } from './probe.ts'
import { sniffedBytes, typeByMagic } from './sniff.ts'

const second = 1_000

/** What an honest file of each kind needs is a tenth of this; a dishonest one must not keep others waiting for long. */
const probing: { readonly [mime in Probe['mime']]: number } = {
  'application/pdf': 10 * second,
  'video/mp4': 10 * second,
  'image/jpeg': 15 * second,
  'image/png': 15 * second,
  'image/gif': 20 * second,
}
const converting = 20 * second
const unknown = 5 * second

/** How long looking into a file may take, told by what it begins with. */
export async function timeFor({ name, path }: Task): Promise<number> {
  if (name !== 'probe') return converting
  const source = await openFile(path)
  try {
    const mime = typeByMagic(await source.read(0, sniffedBytes))
    return mime ? probing[mime] : unknown
  } finally {
    await source.close()
  }
}
