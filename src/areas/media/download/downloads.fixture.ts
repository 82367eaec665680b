import { systemClock } from '#kernel/clock.ts'
import { type Outbound, openOutbound } from '#kernel/outbound/outbound.ts'
import { openSpool, type Spool } from '#kernel/storage/spool.ts'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { download } from './download.ts'
import type { DownloadInstallation, DownloadRules } from './download-rules.ts'
import type { SourceHead } from './source-head.ts'

export const chunkBytes = 65_536

export interface DownloadFixture extends DownloadInstallation {
  outbound: Outbound
  spool: Spool
  rules: Partial<DownloadRules>
  close(): Promise<void>
}

/** A fixture with small chunks and short delays. */
export async function openDownloadFixture(): Promise<DownloadFixture> {
  const folder = await temporaryFolder()
  const outbound = openOutbound({ allow: ['127.0.0.0/8'], socketsPerOrigin: 100 })
  const rules = {
    chunkBytes,
    maximumBytes: 2 ** 20,
    spareBytes: 0,
    windowMs: 800,
    slowestBytesPerSecond: 1_024,
    wait: async () => {},
  }
  const close = async () => {
    await outbound.close()
    await folder.remove()
  }
  return { outbound, spool: openSpool(folder.path), clock: systemClock, rules, close }
}

/** A download and its progress. */
export interface Watched {
  progress: { downloaded: number; head: SourceHead }[]
  end: Promise<{ bytes: number; head: SourceHead }>
}

export function watch(
  fixture: DownloadInstallation,
  id: string,
  url: string,
  known?: SourceHead,
  signal?: AbortSignal,
): Watched {
  const progress: Watched['progress'] = []
  const onChunk = async (downloaded: number, head: SourceHead) => void progress.push({ downloaded, head })
  return { progress, end: download(fixture, { id, url, known }, onChunk, signal ?? new AbortController().signal) }
}
