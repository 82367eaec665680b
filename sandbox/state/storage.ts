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

/** Append-only journal of table changes, one JSON line each, replayed at startup. */
export class Journal {
  private readonly file: number | undefined
  private readonly path: string | undefined

  constructor(folder: string | undefined) {
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    this.path = join(folder, 'journal.jsonl')
    this.file = openSync(this.path, 'a')
    // A killed process can leave an incomplete line; start a new one.
    const last = readFileSync(this.path).at(-1)
    if (last !== undefined && last !== newline) writeSync(this.file, '\n')
  }

  *lines(): Generator<Line> {
    if (this.path === undefined || !existsSync(this.path)) return
    for (const text of readFileSync(this.path, 'utf8').split('\n')) {
      const line = parseLine(text)
      if (line) yield line
    }
  }

  append(line: Line) {
    if (this.file !== undefined) writeSync(this.file, `${JSON.stringify(line)}\n`)
  }

  truncate() {
    if (this.file !== undefined) ftruncateSync(this.file)
  }

  close() {
    if (this.file !== undefined) closeSync(this.file)
  }
}

/** Incomplete lines are ignored. */
function parseLine(text: string): Line | undefined {
  if (!text) return undefined
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

/** Rows in memory by key; every change is written to the journal. */
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

  /** Applies a journal entry. */
  restore(key: string, row: Row | undefined) {
    if (row === undefined) this.rows.delete(key)
    else this.rows.set(key, row)
  }

  clear() {
    this.rows.clear()
  }
}

/** Larger files keep only their size and digest. */
const maxKeptBytes = 16 * 1024 * 1024

/** Bytes of published media by SHA-256. */
export class Files {
  private readonly memory = new Map<string, Buffer>()

  private readonly folder: string | undefined

  constructor(folder: string | undefined) {
    this.folder = folder
    if (folder !== undefined) mkdirSync(folder, { recursive: true })
  }

  save(bytes: Buffer): string {
    const digest = createHash('sha256').update(bytes).digest('hex')
    if (bytes.length > maxKeptBytes) return digest
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

/** Posts, comments, messages and likes, indexed by id, profile and parent. */
export class Items extends Table<Item> {
  private readonly byProfile = new Map<string, Item[]>()
  private readonly byParent = new Map<string, Item[]>()
  private readonly byPost = new Map<string, Item[]>()
  private readonly byAlias = new Map<string, Item>()

  constructor(journal: Journal) {
    super('items', (item) => keyOf(item.network, item.id), journal)
  }

  /** The item with this id or alias, unless it was removed. */
  live(network: Network, id: string): Item | undefined {
    const item = this.get(keyOf(network, id)) ?? this.byAlias.get(keyOf(network, id))
    return item?.removedAt === undefined ? item : undefined
  }

  ofProfile(network: Network, profile: string, ...kinds: ItemKind[]): Item[] {
    return withoutRemoved(this.byProfile.get(keyOf(network, profile)), kinds)
  }

  /** Including removed items. */
  allOfProfile(network: Network, profile: string): Item[] {
    return this.byProfile.get(keyOf(network, profile)) ?? []
  }

  childrenOf(parent: Item, ...kinds: ItemKind[]): Item[] {
    return withoutRemoved(this.byParent.get(keyOf(parent.network, parent.id)), kinds)
  }

  /** All descendants of a post. */
  inConversation(post: Item): Item[] {
    return withoutRemoved(this.byPost.get(keyOf(post.network, post.id)), [])
  }

  override restore(key: string, item: Item | undefined) {
    const known = this.get(key)
    if (item && known) {
      // The indexes reference this object, so it is updated in place.
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

function withoutRemoved(items: Item[] | undefined, kinds: ItemKind[]): Item[] {
  return (items ?? []).filter(
    ({ kind, removedAt }) => removedAt === undefined && (!kinds.length || kinds.includes(kind)),
  )
}

function add(index: Map<string, Item[]>, key: string, item: Item) {
  const list = index.get(key)
  if (list) list.push(item)
  else index.set(key, [item])
}
