import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Enough to show a picture or a short clip; of larger files only size and digest are kept. */
const largestShown = 16 * 1024 * 1024

/** The bytes of published media, under their SHA-256, for the pages that show them. */
export class Files {
  private readonly memory = new Map<string, Buffer>()

  private readonly folder: string | undefined

  constructor(folder: string | undefined) {
    this.folder = folder
    if (folder !== undefined) mkdirSync(folder, { recursive: true })
  }

  save(bytes: Buffer): string {
    const digest = createHash('sha256').update(bytes).digest('hex')
    if (bytes.length > largestShown) return digest
    if (this.folder === undefined) this.memory.set(digest, bytes)
    else if (!existsSync(join(this.folder, digest))) writeFileSync(join(this.folder, digest), bytes)
    return digest
  }

  read(digest: string): Buffer | undefined {
    if (!/^[0-9a-f]{64}$/.test(digest)) return undefined
    if (this.folder === undefined) return this.memory.get(digest)
    const path = join(this.folder, digest)
    return existsSync(path) ? readFileSync(path) : undefined
  }
}
