import { exactly, partsOf } from './body-parts.ts'
import { cutShort, diskFull, TryFailed } from './download-failed.ts'
import { exchange } from './exchange.ts'
import type { Run } from './run.ts'
import type { SourceHead } from './source-head.ts'
import { judge } from './verdict.ts'

/** Asks once for what comes next and keeps it; says whether the file is whole now. */
export async function fetchPiece(run: Run): Promise<boolean> {
  const before = run.at
  try {
    return await askAndKeep(run)
  } catch (error) {
    if (!(error instanceof TryFailed) || run.at === before) throw error
    // What came before the failure is safe; the rest is asked for alone, with tries of its own.
    if (run.head.acceptsRanges) return false
    await forget(run)
    throw error
  }
}

/** Takes away what is there. */
export async function forget(run: Run): Promise<void> {
  await run.installation.spool.truncate(run.order.id, 0)
  run.at = 0
}

async function askAndKeep(run: Run): Promise<boolean> {
  await refuseFullDisk(run)
  const { at, head, rules } = run
  const ranged = at > 0 || (head.acceptsRanges && head.totalSize > rules.chunkBytes)
  const bytes = ranged ? rules.chunkBytes : head.totalSize
  return exchange(run, ranged ? rangeHeaders(run) : {}, bytes, async (answer, body) => {
    const verdict = judge(run, answer, ranged)
    run.head = verdict.head
    if (verdict.kind === 'whole') return keepWhole(run, body, verdict.announced, answer.headers)
    await keep(run, exactly(body, verdict.bytes))
    return run.at === run.head.totalSize
  })
}

async function refuseFullDisk({ installation, rules }: Run) {
  if ((await installation.spool.free()) <= rules.chunkBytes + rules.spareBytes) throw diskFull()
}

function rangeHeaders({ at, head, rules }: Run): Record<string, string> {
  const range = `bytes=${at}-${Math.min(at + rules.chunkBytes, head.totalSize) - 1}`
  const version = at > 0 ? versionOf(head) : undefined
  return version === undefined ? { range } : { range, 'if-range': version }
}

// A weak ETag does not promise the same bytes, so servers do not compare it here.
const versionOf = ({ etag, lastModified }: SourceHead) => (etag && !etag.startsWith('W/') ? etag : lastModified)

/** Keeps a file that comes in one answer, part by part. */
async function keepWhole(
  run: Run,
  body: AsyncGenerator<Buffer>,
  announced: number | undefined,
  headers: Record<string, string>,
): Promise<boolean> {
  const promised = run.head.totalSize
  const parts = partsOf(body)
  do {
    if (run.at > 0) await refuseFullDisk(run)
    await keep(run, parts.next(run.rules.chunkBytes))
  } while (!(await parts.ended()))
  // Without a size the end must be marked, and lie no sooner than HEAD has said.
  const marked = headers['transfer-encoding']?.toLowerCase().includes('chunked') && run.at > promised
  if (run.at !== (announced ?? promised) && !(announced === undefined && marked)) throw cutShort()
  run.head = { ...run.head, totalSize: run.at }
  return true
}

async function keep(run: Run, source: AsyncIterable<Uint8Array>) {
  const { installation, order, rules, kept } = run
  run.at = await installation.spool.append(order.id, run.at, source, rules.maximumBytes)
  await kept(run.at, { ...run.head, totalSize: Math.max(run.head.totalSize, run.at) })
}
