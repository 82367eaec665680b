import { hashNumber } from '../../link/link-url.ts'

/** A cached link, without its account's settings. */
export interface CachedLink {
  readonly account: string
  readonly id: string
  /** Destination. */
  readonly location: string
  readonly disabled: boolean
}

interface LinkStore {
  get(hash: string): CachedLink | undefined
  set(hash: string, link: CachedLink): void
  delete(hash: string): void
  count(): number
  /** Whether links can be added without evicting others. */
  hasRoom(): boolean
}

const mebibyte = 1024 * 1024

/**
 * Compact link cache: about 130 bytes each, invisible to the garbage collector. Rows are appended to segments, with an index
 * of positions. When all segments are full the oldest is overwritten.
 */
export function openLinkStore(segments = 256, segmentSize = mebibyte): LinkStore {
  const index = openLinkIndex()
  const rows: Buffer[] = []
  /** Used length of each segment. */
  const ends: number[] = []
  const accounts: string[] = []
  const numbers = new Map<string, number>()
  let current = -1

  const numberOf = (account: string): number => {
    const known = numbers.get(account)
    if (known !== undefined) return known
    numbers.set(account, accounts.push(account) - 1)
    return accounts.length - 1
  }
  /** Switches to the next segment and evicts its rows. */
  const advance = () => {
    current = (current + 1) % segments
    const row = rows[current]
    if (row) {
      for (let at = 0; at < (ends[current] ?? 0); at += lengthOf(row, at)) {
        const key = row.readDoubleLE(at)
        if (index.get(key) === current * segmentSize + at) index.remove(key)
      }
    } else rows[current] = Buffer.allocUnsafeSlow(segmentSize)
    ends[current] = 0
  }

  return {
    get(hash) {
      const position = index.get(hashNumber(hash))
      if (position === undefined) return undefined
      const at = position % segmentSize
      const row = rows[(position - at) / segmentSize] as Buffer
      const idEnd = at + head + (row[at + idLengthAt] as number)
      return {
        account: accounts[row.readUInt32LE(at + accountAt)] as string,
        id: row.toString('latin1', at + head, idEnd),
        location: row.toString('latin1', idEnd, at + lengthOf(row, at)),
        disabled: row[at + disabledAt] === 1,
      }
    },
    set(hash, { account, id, location, disabled }) {
      const length = head + id.length + location.length
      const key = hashNumber(hash)
      // URLs longer than this are rare; such links are always read from the database.
      if (location.length > longest || id.length > 255) return index.remove(key)
      if (current < 0 || (ends[current] ?? 0) + length > segmentSize) advance()
      const row = rows[current] as Buffer
      const at = ends[current] as number
      row.writeDoubleLE(key, at)
      row.writeUInt32LE(numberOf(account), at + accountAt)
      row.writeUInt16LE(location.length, at + locationLengthAt)
      row[at + idLengthAt] = id.length
      row[at + disabledAt] = disabled ? 1 : 0
      row.write(id, at + head, 'latin1')
      row.write(location, at + head + id.length, 'latin1')
      ends[current] = at + length
      index.set(key, current * segmentSize + at)
    },
    delete: (hash) => index.remove(hashNumber(hash)),
    count: index.count,
    hasRoom: () => rows.length < segments,
  }
}

// Row layout: hash number, account number, lengths of URL and id, disabled flag; then id and URL
// in ASCII.
const accountAt = 8
const locationLengthAt = 12
const idLengthAt = 14
const disabledAt = 15
const head = 16
const longest = 8_192

const lengthOf = (row: Buffer, at: number) =>
  head + (row[at + idLengthAt] as number) + row.readUInt16LE(at + locationLengthAt)

interface LinkIndex {
  get(key: number): number | undefined
  set(key: number, position: number): void
  remove(key: number): void
  count(): number
}

/** Hash table from integers of up to 53 bits to positions, in one typed array. */
function openLinkIndex(): LinkIndex {
  // Keys and positions interleaved, because most of the time is spent waiting for memory. Positions are stored plus one:
  // zero is empty.
  let table = new Float64Array(2 * 1024)
  let mask = 1023
  let count = 0

  /** Slot of the key, or the next free slot of its probe sequence. */
  const find = (key: number): number => {
    let at = home(key) & mask
    while (table[2 * at + 1] !== 0 && table[2 * at] !== key) at = (at + 1) & mask
    return at
  }
  const put = (at: number, key: number, position: number) => {
    table[2 * at] = key
    table[2 * at + 1] = position
  }
  const keyAt = (at: number) => table[2 * at] as number
  const positionAt = (at: number) => table[2 * at + 1] as number

  const grow = () => {
    const old = table
    table = new Float64Array(old.length * 2)
    mask = old.length - 1
    for (let at = 0; at < old.length; at += 2) {
      const [key, position] = [old[at] as number, old[at + 1] as number]
      if (position !== 0) put(find(key), key, position)
    }
  }

  return {
    get(key) {
      const position = positionAt(find(key))
      return position === 0 ? undefined : position - 1
    },
    set(key, position) {
      // Load factor of at most one half, to keep probe sequences short.
      if (positionAt(find(key)) === 0 && ++count * 2 > mask) grow()
      put(find(key), key, position + 1)
    },
    remove(key) {
      let hole = find(key)
      if (positionAt(hole) === 0) return
      count--
      // Backward shift deletion: following entries move up unless that would be before their home slot.
      for (let at = (hole + 1) & mask; positionAt(at) !== 0; at = (at + 1) & mask) {
        const distance = (at - home(keyAt(at))) & mask
        if (distance < ((at - hole) & mask)) continue
        put(hole, keyAt(at), positionAt(at))
        hole = at
      }
      put(hole, 0, 0)
    },
    count: () => count,
  }
}

/** Home slot of a key. */
function home(key: number): number {
  const mixed = Math.imul((key % 4_294_967_296) ^ Math.imul(key / 4_294_967_296, 0x9e3779b1), 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}
