import { sql } from 'kysely'

/** The zone in which a profile's queue counts its week: that of whoever connected it. For statements on credentials. */
export const queueTimezone = sql<string>`coalesce((
  select u.timezone from users u where u.account_id = credentials.account_id and u.id = credentials.created_by), 'UTC')`
