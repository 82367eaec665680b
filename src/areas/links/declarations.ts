import { eventTypes } from '#areas/events/event-type.ts'
import { idKinds, type ReferenceKind } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const linkIds = idKinds({ link: '008', linkChange: '0lc', click: '009', conversionTag: '0ct', cname: '0CN' })

export const linkHashKey: ReferenceKind = {
  name: 'linkHash',
  description: 'The hash of a short link, which is the last part of its URL',
}
export const clickedLeadKey: ReferenceKind = { name: 'clickedLead' }
export const visitorKey: ReferenceKind = { name: 'visitor' }

export const linkQuotas = quotas({
  links: { standard: 1_000_000, things: 'short links', remedy: 'Links are kept' },
  cnames: { standard: 200, things: 'custom domains', remedy: 'Remove domains that nobody uses' },
  conversionTags: { standard: 1_000, things: 'conversion tags', remedy: 'Delete tags that nothing was counted for' },
})

export const linkEvents = eventTypes('Leads', {
  newConversion: 'A visitor who came through a tracked link reached a conversion tag.',
})
