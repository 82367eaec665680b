import type { Budget, Pace } from './connector/budget.ts'
import type { Network } from './manifests.ts'

/** What a network limits or charges for, and how often it is asked. Apart from the manifests, which browsers load as well. */
export interface Allowance {
  /** What its answers tell beside these is honoured in any case. */
  budgets: readonly Budget[]
  /** For what is new, and for streams that somebody looks at. */
  pace: { readonly inbox: Pace; readonly streams: Pace }
}

const xPrices = 'https://docs.x.com/x-api/getting-started/pricing (2026-08-22)'
const youtubeQuota = 'https://developers.google.com/youtube/v3/determine_quota_cost (2026-11)'
const youtubeRevisions = 'https://developers.google.com/youtube/v3/revision_history, 3 June 2026 (2026-11)'

const linkedInTiers =
  'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/community-management-overview (2026-08)'

const allowances: { readonly [network in Network]: Allowance } = {
  Facebook: {
    budgets: [
      {
        // 4,800 times the people who engaged with the page on the day: at least one. Headers tell what is really left.
        name: 'calls',
        per: 'profile',
        unit: 'calls',
        window: 'day',
        limit: 4_800,
        source: 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting (2026-03-23)',
      },
    ],
    pace: { inbox: { every: 300, withPush: 900 }, streams: { every: 120 } },
  },
  Instagram: {
    budgets: [
      {
        // 4,800 times the impressions of the account on the day: at least one. Headers tell what is really left.
        name: 'calls',
        per: 'profile',
        unit: 'calls',
        window: 'day',
        limit: 4_800,
        source: 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting (2026-03-23)',
      },
    ],
    pace: { inbox: { every: 300, withPush: 900 }, streams: { every: 120 } },
  },
  LinkedIn: {
    budgets: [
      {
        // Limits by member and by app, each day from midnight UTC; of the Standard tier the portal shows them, and nobody else.
        name: 'calls',
        per: 'profile',
        unit: 'calls',
        window: 'day',
        limitBy: { option: 'tier', words: { development: 100 } },
        source: linkedInTiers,
      },
      {
        name: 'appCalls',
        per: 'app',
        unit: 'calls',
        window: 'day',
        limitBy: { option: 'tier', words: { development: 500 } },
        source: linkedInTiers,
      },
    ],
    // A turn asks for notifications, the names of people and messages.
    pace: {
      inbox: { every: 600, withPush: 1800, draws: { budget: 'calls', uses: 3, share: 0.6 } },
      streams: { every: 300, draws: { budget: 'calls', uses: 1, share: 0.1 } },
    },
  },
  Twitter: {
    budgets: [
      {
        name: 'cost',
        per: 'app',
        unit: 'micro-dollars',
        window: 'month',
        option: 'monthlySpend',
        source: xPrices,
      },
      { name: 'posts', per: 'app', unit: 'posts', window: 'month', limit: 3_000_000, source: xPrices },
    ],
    pace: {
      // 15 reads of messages in 15 minutes for each account leave room for searches.
      inbox: { every: 120, withPush: 900 },
      streams: { every: 60 },
    },
  },
  YouTube: {
    budgets: [
      {
        name: 'units',
        per: 'app',
        unit: 'units',
        window: 'pacificDay',
        limit: 10_000,
        option: 'dailyUnits',
        source: youtubeQuota,
      },
      {
        name: 'uploads',
        per: 'app',
        unit: 'calls',
        window: 'pacificDay',
        limit: 100,
        option: 'dailyUploads',
        source: youtubeQuota,
      },
      { name: 'stats', per: 'app', unit: 'units', window: 'pacificDay', limit: 10_000, source: youtubeRevisions },
    ],
    pace: {
      // Comments are not pushed: half of the day's units are for asking, shared by all channels.
      inbox: { every: 120, draws: { budget: 'units', uses: 1, share: 0.5 } },
      streams: { every: 60 },
    },
  },
  TikTok: {
    budgets: [
      {
        name: 'calls',
        per: 'app',
        unit: 'calls',
        window: 'minute',
        limit: 600,
        source: 'https://developers.tiktok.com/doc/tiktok-api-v2-rate-limit (2026-08-04)',
      },
    ],
    pace: { inbox: { every: 300, withPush: 900 }, streams: { every: 300 } },
  },
}

export const allowanceOf = (network: Network): Allowance => allowances[network]
