import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const analyticsIds = idKinds({ export: '032', exportRun: '0er', dashboard: 'dsh', widget: 'wdg' })

export const analyticsQuotas = quotas({
  dashboards: { standard: 2_000, things: 'dashboards', remedy: 'Delete dashboards that nobody looks at' },
  exports: { standard: 200, things: 'exports', remedy: 'Delete exports that nobody needs' },
})

export const analyticsChanges = changeKinds('dashboard')
