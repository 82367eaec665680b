import type { MediaInspector } from './media-inspector/media-inspector.ts'
import type { Spool } from './storage/spool.ts'
import type { Store } from './storage/store.ts'

/** Everything that has to do with files: where they lie, where they arrive, and who looks into them. */
export interface Files {
  readonly store: Store
  readonly spool: Spool
  readonly inspector: MediaInspector
}
