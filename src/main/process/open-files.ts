import { join } from 'node:path'
import type { Files } from '#kernel/files.ts'
import { openMediaInspector } from '#kernel/media-inspector/media-inspector.ts'
import { openFileStore } from '#kernel/storage/file-store.ts'
import { openS3Store } from '#kernel/storage/s3-store.ts'
import { openSpool } from '#kernel/storage/spool.ts'
import type { Settings } from '../settings/settings.ts'

/** Files under the data folder, or in an S3-compatible store; what is still arriving is always on this machine. */
export function openFiles({ storageUrl, dataDir }: Pick<Settings, 'storageUrl' | 'dataDir'>): Files {
  return {
    store: storageUrl.kind === 's3' ? openS3Store(storageUrl.settings) : openFileStore(join(dataDir, 'files')),
    spool: openSpool(join(dataDir, 'spool')),
    prober: openMediaInspector(),
  }
}
