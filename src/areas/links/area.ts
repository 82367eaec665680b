import { day } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { addClickMetrics, appEndpoints as clickApp, endpoints as clicks } from './click/click.api.ts'
import { forgetOldClicksJob } from './click/click.ts'
import { clickRecount, conversionRecount } from './click/click-counters.ts'
import { checkDomains, checkDomainsJob } from './cname/check-domains.job.ts'
import { endpoints as cnames } from './cname/cname.api.ts'
import { conversionSamples } from './conversion/conversion.events.ts'
import { conversionsPersonalData } from './conversion/conversion.ts'
import { appEndpoints as conversionTagApp, endpoints as conversionTags } from './conversion/conversion-tag.api.ts'
import { countConversionJob } from './conversion/reported-conversions.ts'
import { linkEvents, linkIds, linkQuotas } from './declarations.ts'
import { appEndpoints as linkApp, endpoints as linkEndpoints } from './link/link.api.ts'
import { endpoints as preview } from './link/link-preview.api.ts'
import { seedLinks } from './links.demo.ts'
import { endpoints as settings } from './settings/link-settings.api.ts'

/** Tracked short links, clicks, conversions and custom domains. */
export const links = defineArea({
  name: 'links',
  dependsOn: ['account', 'events', 'counters', 'profiles'],
  ids: linkIds,
  quotas: linkQuotas,
  events: withSamples(linkEvents, { ...conversionSamples }),
  tables: [
    'clickBatches',
    'clicks',
    'cnames',
    'conversionTagAccounts',
    'conversionTags',
    'conversions',
    'linkChanges',
    'linkHashes',
    'linkSettings',
    'links',
    'shortHosts',
  ],
  locks: {
    clicksOfAccount: 'secretKeys',
    cnames: 'conversationTags',
    links: 'cnames',
    conversionTags: 'links',
  },
  tags: [
    {
      name: 'Links',
      description: 'Short links, clicks, conversion tags and custom domains.',
      of: ['link', 'link-settings', 'link-preview', 'click', 'conversion-tag', 'cname'],
    },
  ],
  endpoints: [...cnames, ...linkEndpoints, ...clicks, ...conversionTags],
  appEndpoints: [...linkApp, ...settings, ...preview, ...clickApp, ...conversionTagApp],
  jobs: ({ installation }) => [checkDomainsJob(installation), forgetOldClicksJob, countConversionJob],
  recurringJobs: [
    { job: checkDomains, every: day },
    { job: forgetOldClicksJob, every: day },
  ],
  recounts: [clickRecount, conversionRecount],
  personalData: [conversionsPersonalData],
  metrics: addClickMetrics,
  demo: { after: ['publishing'], seed: seedLinks },
})
