import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { type Heartbeat, startHeartbeat } from '../database/heartbeat.ts'

/** How long a silent worker's jobs stay its own. Times are the database's, so clocks need not agree. */
const leaseSeconds = 4
const renewEvery = 1000

/** A lease that ends later than any can was taken while the clock was ahead; who lives has renewed it since. */
export const isLiving = sql`lease_until > clock_timestamp() and lease_until < clock_timestamp() + interval '1 minute'`

const renewal = `update job_workers set lease_until = clock_timestamp() + make_interval(secs => $2)
                 where id = $1 and lease_until > clock_timestamp()`

/** Registers a worker and keeps its lease; once that is lost, others may have its jobs. */
export async function takeLease(db: Db, url: string, worker: string): Promise<Heartbeat> {
  await sql`insert into job_workers (id, lease_until)
            values (${worker}, clock_timestamp() + make_interval(secs => ${leaseSeconds}))`.execute(db)
  return startHeartbeat({ url, text: renewal, values: [worker, leaseSeconds], every: renewEvery })
}
