import type { Budget, PollingInterval } from './connector/budget.ts'
import type { Network } from './manifests.ts'

/** Rate limits, prices and polling intervals per network. Separate from the manifests, which are also loaded by browsers. */
export interface RateLimits {
  /** Limits reported in response headers apply in addition. */
  budgets: readonly Budget[]
  /** Minimum intervals for inbox polling and for streams on screen. */
  polling: { readonly inbox: PollingInterval; readonly streams: PollingInterval }
}

const xPrices = 'https://docs.x.com/x-api/getting-started/pricing (2026-08-22)'
const youtubeQuota = 'https://developers.google.com/youtube/v3/determine_quota_cost (2026-11)'
const youtubeRevisions = 'https://developers.google.com/youtube/v3/revision_history, 3 June 2026 (2026-11)'

const linkedInTiers =
  'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/community-management-overview (2026-08)'

const rateLimits: { readonly [network in Network]: RateLimits } = {
  Facebook: {
    budgets: [
      {
        // 4,800 times the people who engaged with the page that day, at least one. Response headers report the actual remainder.
        name: 'calls',
        per: 'profile',
        unit: 'calls',
        window: 'day',
        limit: 4_800,
        source: 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting (2026-03-23)',
      },
    ],
    polling: { inbox: { every: 300, withPush: 900 }, streams: { every: 120 } },
  },
  Instagram: {
    budgets: [
      {
        // 4,800 times the account's impressions that day, at least one. Response headers report the actual remainder.
        name: 'calls',
        per: 'profile',
        unit: 'calls',
        window: 'day',
        limit: 4_800,
        source: 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting (2026-03-23)',
      },
    ],
    polling: { inbox: { every: 300, withPush: 900 }, streams: { every: 120 } },
  },
  LinkedIn: {
    budgets: [
      {
        // Limits per member and per app, reset at midnight UTC. Those of the Standard tier are shown in the developer portal only.
        name: 'calls',
        per: 'profile',
        unit: 'calls',
        window: 'day',
        limitBy: { option: 'tier', values: { development: 100 } },
        source: linkedInTiers,
      },
      {
        name: 'appCalls',
        per: 'app',
        unit: 'calls',
        window: 'day',
        limitBy: { option: 'tier', values: { development: 500 } },
        source: linkedInTiers,
      },
    ],
    // One poll reads notifications, names of people, and messages.
    polling: {
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
    polling: {
      // 15 message reads per 15 minutes and account, minus a reserve for searches.
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
    polling: {
      // Comments are not pushed, so half of the daily units go to polling, shared by all channels.
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
    polling: { inbox: { every: 300, withPush: 900 }, streams: { every: 300 } },
  },
}

export const rateLimitsOf = (network: Network): RateLimits => rateLimits[network]
