import { readAccountLimits } from '#kernel/quotas/account-limits.ts'
import { readFeedLimits, readLimits, setting } from './setting-readers.ts'

/** How often one user may call, and how much one account may have. */
export const limitSettings = {
  CHORUS_RATE_LIMIT: setting('on', '`on`, `off`, or `second=60,five=120,day=50000,block=900`.', readLimits),
  CHORUS_ACCOUNT_LIMITS: setting(
    '',
    'What an account may have at most where it differs from [the usual limits](docs/limits.md): `tags=10000,webhooks=200,…`.',
    readAccountLimits,
  ),
  CHORUS_FEEDS: setting(
    'session=8,account=1000',
    'Feeds that may be open at a time in one process: of one session or API key, and of one account.',
    readFeedLimits,
  ),
}
