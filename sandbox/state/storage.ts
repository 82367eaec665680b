import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Item, ItemKind, Network } from './rows.ts'

const newline = 10

interface Line {
  table: string
  key: string
  /** Absent when the row was deleted. */
  row?: unknown
}

/** Every change of every table, one JSON line each, in a file that is read again at the next start. */
export class Journal {
  private readonly file: number | undefined
  private readonly path: string | undefined

  constructor(folder: string | undefined) {
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    this.path = join(folder, 'journal.jsonl')
    this.file = openSync(this.path, 'a')
    // A process killed while writing leaves half a line; what follows must not be glued to it.
    const last = readFileSync(this.path).at(-1)
    if (last !== undefined && last !== newline) writeSync(this.file, '\n')
  }

  *lines(): Generator<Line> {
    if (this.path === undefined || !existsSync(this.path)) return
    for (const text of readFileSync(this.path, 'utf8').split('\n')) {
      const line = parsed(text)
      if (line) yield line
    }
  }

  append(line: Line) {
    if (this.file !== undefined) writeSync(this.file, `${JSON.stringify(line)}\n`)
  }

  empty() {
    if (this.file !== undefined) ftruncateSync(this.file)
  }

  close() {
    if (this.file !== undefined) closeSync(this.file)
  }
}

/** Half a line counts as not written. */
function parsed(text: string): Line | undefined {
  if (!text) return undefined
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

/** Rows in memory under one key each; every change goes through the journal. */
export class Table<Row> {
  private readonly rows = new Map<string, Row>()

  readonly name: string
  private readonly keyOf: (row: Row) => string
  private readonly journal: Journal

  constructor(name: string, keyOf: (row: Row) => string, journal: Journal) {
    this.name = name
    this.keyOf = keyOf
    this.journal = journal
  }

  get(key: string): Row | undefined {
    return this.rows.get(key)
  }

  all(): Row[] {
    return [...this.rows.values()]
  }

  find(test: (row: Row) => boolean): Row | undefined {
    for (const row of this.rows.values()) if (test(row)) return row
    return undefined
  }

  put(row: Row): Row {
    this.restore(this.keyOf(row), row)
    this.journal.append({ table: this.name, key: this.keyOf(row), row })
    return row
  }

  change(row: Row, values: Partial<Row>): Row {
    return this.put(Object.assign(row as object, values) as Row)
  }

  delete(key: string) {
    if (!this.rows.delete(key)) return
    this.journal.append({ table: this.name, key })
  }

  /** What the journal calls when it is read again. */
  restore(key: string, row: Row | undefined) {
    if (row === undefined) this.rows.delete(key)
    else this.rows.set(key, row)
  }

  clear() {
    this.rows.clear()
  }
}

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

/** Posts, comments, messages and likes, found by id, profile and parent without a walk over all of them. */
export class Items extends Table<Item> {
  private readonly byProfile = new Map<string, Item[]>()
  private readonly byParent = new Map<string, Item[]>()
  private readonly byPost = new Map<string, Item[]>()
  private readonly byAlias = new Map<string, Item>()

  constructor(journal: Journal) {
    super('items', (item) => keyOf(item.network, item.id), journal)
  }

  /** What stands under this id today; what was removed is not there any more. */
  live(network: Network, id: string): Item | undefined {
    const item = this.get(keyOf(network, id)) ?? this.byAlias.get(keyOf(network, id))
    return item?.removedAt === undefined ? item : undefined
  }

  ofProfile(network: Network, profile: string, ...kinds: ItemKind[]): Item[] {
    return standing(this.byProfile.get(keyOf(network, profile)), kinds)
  }

  /** With what was removed meanwhile. */
  everOfProfile(network: Network, profile: string): Item[] {
    return this.byProfile.get(keyOf(network, profile)) ?? []
  }

  under(parent: Item, ...kinds: ItemKind[]): Item[] {
    return standing(this.byParent.get(keyOf(parent.network, parent.id)), kinds)
  }

  /** All that was ever said under a post, however deep. */
  inConversation(post: Item): Item[] {
    return standing(this.byPost.get(keyOf(post.network, post.id)), [])
  }

  override restore(key: string, item: Item | undefined) {
    const known = this.get(key)
    if (item && known) {
      // The indexes hold this very object, so whatever takes its place is written into it.
      if (item !== known) {
        for (const name of Object.keys(known)) delete known[name as keyof Item]
        Object.assign(known, item)
      }
      return
    }
    super.restore(key, item)
    if (!item) return
    add(this.byProfile, keyOf(item.network, item.profile), item)
    if (item.parentId) add(this.byParent, keyOf(item.network, item.parentId), item)
    if (item.postId) add(this.byPost, keyOf(item.network, item.postId), item)
    if (item.alias) this.byAlias.set(keyOf(item.network, item.alias), item)
  }

  override clear() {
    super.clear()
    for (const index of [this.byProfile, this.byParent, this.byPost, this.byAlias]) index.clear()
  }
}

export const keyOf = (network: Network, id: string) => `${network}:${id}`

function standing(items: Item[] | undefined, kinds: ItemKind[]): Item[] {
  return (items ?? []).filter(
    ({ kind, removedAt }) => removedAt === undefined && (!kinds.length || kinds.includes(kind)),
  )
}

function add(index: Map<string, Item[]>, key: string, item: Item) {
  const list = index.get(key)
  if (list) list.push(item)
  else index.set(key, [item])
}
