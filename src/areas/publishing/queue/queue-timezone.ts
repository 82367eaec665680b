import { sql } from 'kysely'

/** The zone in which a profile's queue counts its week: that of whoever connected it. For statements on credentials. */
export const queueTimezone = (accountId: string) => sql<string>`coalesce((
  select u.timezone from users u where u.account_id = ${accountId} and u.id = credentials.created_by), 'UTC')`
