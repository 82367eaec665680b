export interface LinkIndex {
  get(key: number): number | undefined
  set(key: number, place: number): void
  remove(key: number): void
  count(): number
}

/** Where something stands, by a whole number of up to 53 bits: a hash table with nothing in it but numbers. */
export function openLinkIndex(): LinkIndex {
  // Keys and places in turn, side by side because most of the way to a link is waiting for memory. A place is kept one higher than
  // it is: nothing is there where it is zero.
  let table = new Float64Array(2 * 1024)
  let mask = 1023
  let count = 0

  /** Where the key is, or where it would be: the next free one from where it belongs. */
  const find = (key: number): number => {
    let at = home(key) & mask
    while (table[2 * at + 1] !== 0 && table[2 * at] !== key) at = (at + 1) & mask
    return at
  }
  const put = (at: number, key: number, place: number) => {
    table[2 * at] = key
    table[2 * at + 1] = place
  }
  const keyAt = (at: number) => table[2 * at] as number
  const placeAt = (at: number) => table[2 * at + 1] as number

  const grow = () => {
    const old = table
    table = new Float64Array(old.length * 2)
    mask = old.length - 1
    for (let at = 0; at < old.length; at += 2) {
      const [key, place] = [old[at] as number, old[at + 1] as number]
      if (place !== 0) put(find(key), key, place)
    }
  }

  return {
    get(key) {
      const place = placeAt(find(key))
      return place === 0 ? undefined : place - 1
    },
    set(key, place) {
      // Half of it stays free: the fuller it is, the longer the way to a key.
      if (placeAt(find(key)) === 0 && ++count * 2 > mask) grow()
      put(find(key), key, place + 1)
    },
    remove(key) {
      let hole = find(key)
      if (placeAt(hole) === 0) return
      count--
      // Those behind it move up, unless that would be before where they belong: nobody finds a key beyond a free place.
      for (let at = (hole + 1) & mask; placeAt(at) !== 0; at = (at + 1) & mask) {
        const way = (at - home(keyAt(at))) & mask
        if (way < ((at - hole) & mask)) continue
        put(hole, keyAt(at), placeAt(at))
        hole = at
      }
      put(hole, 0, 0)
    },
    count: () => count,
  }
}

/** Spreads keys over the table. */
function home(key: number): number {
  const mixed = Math.imul((key % 4_294_967_296) ^ Math.imul(key / 4_294_967_296, 0x9e3779b1), 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}
