import { day, hour } from '#kernel/clock.ts'
import { encryptedColumn } from '#kernel/secrets/reencrypt.ts'
import { defineArea } from '../area.ts'
import { renewTokens, renewTokensJob } from './access/profile-access.ts'
import { secretScope, watchedProfiles } from './access/profile-row.ts'
import { endpoints as networkUse } from './budget/network-use.api.ts'
import { forgetNetworkUseJob } from './budget/network-use.ts'
import { offerScope } from './connect/attempt.ts'
import { endpoints as connecting } from './connect/connect.api.ts'
import { connectPages } from './connect/connect.page.ts'
import { appEndpoints as credentialApp, endpoints, pictureRoute, profilePicture } from './credential/credential.api.ts'
import { profileChanges, profileIds, profileQuotas } from './declarations.ts'
import { seedProfiles } from './profiles.demo.ts'
import { endpoints as networkSetup } from './setup/network-setup.api.ts'

export const profiles = defineArea({
  name: 'profiles',
  dependsOn: ['events'],
  ids: profileIds,
  quotas: profileQuotas,
  changes: profileChanges,
  tables: [
    'connectOffers',
    'credentials',
    'networkChallenges',
    'networkReadPauses',
    'networkUsage',
    'targetingPresets',
  ],
  locks: { credentials: 'storyMessages' },
  tags: [
    {
      name: 'Profiles',
      description: 'Connected social profiles, their health, queues and targeting presets.',
      of: [
        'credential',
        'credential-health',
        'targeting-preset',
        'network',
        'network-use',
        'network-setup',
        'connect-offer',
        'picture',
      ],
    },
  ],
  endpoints,
  appEndpoints: [...credentialApp, ...connecting, ...networkUse, ...networkSetup],
  downloads: [
    { description: profilePicture, route: ({ installation, pictures }) => pictureRoute(installation, pictures) },
  ],
  pages: ({ installation, publicUrl }) => connectPages(installation, publicUrl),
  jobs: ({ installation }) => [renewTokensJob(installation), forgetNetworkUseJob],
  recurringJobs: [
    { job: renewTokens, every: hour },
    { job: forgetNetworkUseJob, every: day },
  ],
  presence: [watchedProfiles],
  encryptedColumns: [
    encryptedColumn('credentials', 'secret', ['accountId', 'id'], secretScope),
    encryptedColumn('connectOffers', 'grants', ['accountId', 'id'], offerScope),
  ],
  demo: { seed: (context, { sandboxUrl }) => seedProfiles(context, sandboxUrl) },
})
