import type { MediaInspector } from './media-inspector/media-inspector.ts'
import type { Spool } from './storage/spool.ts'
import type { Store } from './storage/store.ts'

/** File storage, uploads and media inspection. */
export interface Files {
  readonly store: Store
  readonly spool: Spool
  readonly inspector: MediaInspector
}
