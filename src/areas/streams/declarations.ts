import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const streamIds = idKinds({ streamTab: '018', stream: '00F', streamFeed: '0sf' })

export const streamQuotas = quotas({
  streamTabs: { standard: 200, things: 'stream tabs', remedy: 'Delete tabs that nobody looks at' },
  streams: { standard: 1_000, things: 'streams', remedy: 'Delete streams that nobody looks at' },
})

export const streamChanges = changeKinds('streamTab', 'stream')
