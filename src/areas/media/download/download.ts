import { DownloadFailed } from './download-failed.ts'
import { type DownloadInstallation, rulesOf } from './download-rules.ts'
import { fetchPiece, forget } from './piece.ts'
import { retried } from './retry.ts'
import { type DownloadOrder, type Kept, type Run, StartOver } from './run.ts'
import { type SourceHead, tryHead } from './source-head.ts'

/**
 * Fetches what is missing of a file into the spool, part by part, and gives its size. Throws DownloadFailed with a sentence
 * when that cannot be done, what `kept` throws, or the signal's reason; what is safe by then stays, to be continued.
 */
export async function download(
  installation: DownloadInstallation,
  order: DownloadOrder,
  kept: Kept,
  signal: AbortSignal,
): Promise<{ bytes: number; head: SourceHead }> {
  const run = await begin(installation, order, kept, signal)
  for (let restarts = 0; ; restarts += 1) {
    try {
      while (!(await retried(run.rules, signal, () => fetchPiece(run))));
      return { bytes: run.at, head: run.head }
    } catch (error) {
      if (!(error instanceof StartOver)) throw error
      if (restarts === run.rules.restarts) throw restless(error, restarts + 1)
      await forget(run)
      run.head = error.head
    }
  }
}

async function begin(
  installation: DownloadInstallation,
  order: DownloadOrder,
  kept: Kept,
  signal: AbortSignal,
): Promise<Run> {
  const rules = rulesOf(installation)
  const head = order.known ?? (await retried(rules, signal, () => tryHead(installation, order.url, { signal })))
  const size = await installation.spool.size(order.id)
  // Bytes of which nobody knows the version, or that cannot be continued, are of no use.
  const at = order.known?.acceptsRanges ? wholeChunks(size, head.totalSize, rules.chunkBytes) : 0
  if (size > at) await installation.spool.truncate(order.id, at)
  return { installation, rules, order, kept, signal, at, head }
}

/** The last part of a file that seems complete is fetched again: only a server can say that nothing is missing. */
const wholeChunks = (size: number, total: number, chunk: number) =>
  Math.max(0, Math.floor(Math.min(size, total - 1) / chunk) * chunk)

const restless = (error: StartOver, times: number) =>
  new DownloadFailed(
    `${error.message} That happened ${times} times; upload it again when it is finished.`,
    false,
    error,
  )
