import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const mediaIds = idKinds({ media: '026', mediaFolder: '035', upload: '0up' })

export const mediaQuotas = quotas({
  media: { standard: 100_000, things: 'media assets', remedy: 'Delete assets that nothing uses' },
  folders: { standard: 20_000, things: 'media folders', remedy: 'Delete folders that nobody needs' },
  uploads: { standard: 1_000, things: 'uploads under way', remedy: 'Wait until some of them are done' },
})

export const mediaChanges = changeKinds('upload', 'media', 'mediaFolder')
