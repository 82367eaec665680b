import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'

const require = createRequire(import.meta.url)
const files = {
  4: () => require.resolve('@ip-location-db/asn/asn-ipv4-num.csv'),
  6: () => require.resolve('@ip-location-db/asn/asn-ipv6-num.csv'),
}
/** Lines between two breaths: less than a millisecond of work, so that nothing else waits for it. */
const slice = 4_000

/**
 * Opens the list of networks and whose they are, for addresses of one kind; an address is given as its number. The list stays the
 * text it is, in ascending order: where its lines begin is all that is found out before somebody asks.
 */
export async function openOrganisations(version: 4 | 6): Promise<(address: bigint) => string | undefined> {
  const text = await readFile(files[version]())
  const lines = await linesOf(text)
  const lineAt = (index: number) =>
    parsed(text.toString('utf8', lines[index], index + 1 < lines.length ? lines[index + 1] : text.length))

  return (address) => {
    let from = 0
    let to = lines.length
    // The first range that begins after the address; the one before it may contain it.
    while (from < to) {
      const middle = (from + to) >> 1
      if ((lineAt(middle)?.start ?? 0n) <= address) from = middle + 1
      else to = middle
    }
    const found = from > 0 ? lineAt(from - 1) : undefined
    return found && found.start <= address && found.end >= address ? found.name : undefined
  }
}

/** Where each line begins; found out in slices. */
export async function linesOf(text: Buffer): Promise<Uint32Array> {
  let lines = new Uint32Array(65_536)
  let count = 0
  for (let at = 0; at < text.length; ) {
    if (count === lines.length) lines = grown(lines)
    lines[count++] = at
    const end = text.indexOf(newLine, at)
    at = end < 0 ? text.length : end + 1
    if (count % slice === 0) await turn()
  }
  return lines.subarray(0, count)
}

const newLine = 10

function grown(lines: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(lines.length * 2)
  larger.set(lines)
  return larger
}

/** `16777216,16777471,13335,"Cloudflare, Inc."` */
function parsed(line: string) {
  const [, start, end, name = ''] = /^(\d+),(\d+),\d+,(.*?)\r?\n?$/.exec(line) ?? []
  if (!start || !end) return undefined
  const told = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
  return { start: BigInt(start), end: BigInt(end), name: told }
}
