import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'

const require = createRequire(import.meta.url)
const files = {
  4: () => require.resolve('@ip-location-db/asn/asn-ipv4-num.csv'),
  6: () => require.resolve('@ip-location-db/asn/asn-ipv6-num.csv'),
}
/** Lines between two breaths: a few milliseconds of work, so that nothing else waits for it. */
const slice = 4_000

/** Opens the list of networks and whose they are, for addresses of one kind; an address is given as its number. */
export async function openOrganisations(version: 4 | 6): Promise<(address: bigint) => string | undefined> {
  const text = await readFile(files[version]())
  const ranges = new Ranges()
  const names: string[] = []
  const known = new Map<string, number>()
  let lines = 0
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at)
    const line = parsed(text.toString('utf8', at, end))
    at = end + 1
    if (++lines % slice === 0) await turn()
    if (!line) continue
    const name = known.get(line.name) ?? names.push(line.name) - 1
    known.set(line.name, name)
    ranges.add(BigInt(line.start), BigInt(line.end), name)
  }
  return (address) => names[ranges.find(address) ?? -1]
}

/** Ranges of 128-bit numbers in ascending order, each with a number of its own; kept as flat arrays, not as objects. */
class Ranges {
  private bounds = new BigUint64Array(4 * 65_536)
  private values = new Uint32Array(65_536)
  private length = 0

  /** One that does not begin after the range before it would never be found, and is left out. */
  add(start: bigint, end: bigint, value: number) {
    if (this.length > 0 && start <= this.bound(this.length - 1, 0)) return
    if (this.length === this.values.length) this.grow()
    this.bounds.set([start >> half, start & low, end >> half, end & low], this.length * 4)
    this.values[this.length++] = value
  }

  private grow() {
    const { bounds, values } = this
    this.bounds = new BigUint64Array(bounds.length * 2)
    this.values = new Uint32Array(values.length * 2)
    this.bounds.set(bounds)
    this.values.set(values)
  }

  find(number: bigint): number | undefined {
    let from = 0
    let to = this.length
    // The first range that begins after the number; the one before it may contain it.
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.bound(middle, 0) <= number) from = middle + 1
      else to = middle
    }
    return from > 0 && this.bound(from - 1, 2) >= number ? this.values[from - 1] : undefined
  }

  private bound(index: number, side: 0 | 2): bigint {
    const at = index * 4 + side
    return ((this.bounds[at] as bigint) << half) | (this.bounds[at + 1] as bigint)
  }
}

const half = 64n
const low = (1n << half) - 1n

/** `16777216,16777471,13335,"Cloudflare, Inc."` */
function parsed(line: string) {
  const [, start, end, name = ''] = /^(\d+),(\d+),\d+,(.*?)\r?$/.exec(line) ?? []
  if (!start || !end) return undefined
  return { start, end, name: name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name }
}

const newLine = 10

function endOfLine(text: Buffer, from: number): number {
  const end = text.indexOf(newLine, from)
  return end < 0 ? text.length : end
}
