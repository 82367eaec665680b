import type { Context } from '#kernel/context.ts'
import { type DestinationType, type Given, readDestination, secretNames } from './destination/destination.ts'
import { sealSecret } from './export-row.ts'
import type { ExportType } from './rows/sources.ts'
import type { TimeRangeName } from './schedule.ts'
import { nextRun } from './schedule.ts'

interface DemoExport {
  type: ExportType
  destinationType: DestinationType
  destination: Given
  frequency: 'daily' | 'weekly' | 'monthly'
  timeRange: TimeRangeName
  /** Only deliverable exports are active: emails stay in the outbox without a mail server. */
  status: 'active' | 'inactive'
}

const server = { host: 'files.example.com', directory: '/reports', username: 'northwind', password: 'demo' }

/** One per type of destination. */
const exports: readonly DemoExport[] = [
  {
    type: 'Posts',
    frequency: 'weekly',
    timeRange: 'last-week',
    status: 'active',
    destinationType: 'email',
    destination: { email: 'ada.marsh@example.com', firstName: 'Ada', lastName: 'Marsh' },
  },
  {
    type: 'Clicks',
    frequency: 'daily',
    timeRange: 'yesterday',
    status: 'inactive',
    destinationType: 'S3_bucket',
    destination: { bucketName: 'northwind-reports', path: 'clicks', accessKey: 'DEMO', secretKey: 'demo' },
  },
  {
    type: 'Conversions',
    frequency: 'daily',
    timeRange: 'last-30-days',
    status: 'inactive',
    destinationType: 'azure',
    destination: { accountName: 'northwind', container: 'reports', key: 'ZGVtbw==' },
  },
  {
    type: 'Campaigns',
    frequency: 'monthly',
    timeRange: 'all-time',
    status: 'inactive',
    destinationType: 'FTP',
    destination: server,
  },
  {
    type: 'Advocates',
    frequency: 'monthly',
    timeRange: 'all-time',
    status: 'inactive',
    destinationType: 'SFTP',
    destination: server,
  },
]

/** Exports, if there are none yet. */
export async function seedExports({ db, accountId, now, keyring }: Context) {
  const some = await db.selectFrom('exports').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const rows = exports.map(({ destination, destinationType, ...one }, index) => {
    const id = `032demo0000000${index + 1}`
    const schedule = { ...one, weekday: 1, monthDay: 1, hour: 6, timezone: 'Europe/Berlin' }
    const name = secretNames[destinationType]
    return {
      accountId,
      id,
      created: now,
      modified: now,
      createdBy: '00Ademo00000001',
      destinationType,
      ...schedule,
      destination: JSON.stringify(readDestination(destinationType, destination)),
      secret: name === undefined ? null : sealSecret(keyring, { accountId, id }, destination[name] ?? ''),
      nextRun: one.status === 'active' ? nextRun(schedule, now) : null,
    }
  })
  await db.insertInto('exports').values(rows).execute()
}
