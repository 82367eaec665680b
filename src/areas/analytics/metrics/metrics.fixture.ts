import { openOutbound } from '#kernel/outbound/outbound.ts'
import { sandboxApps } from '#main/process/network-apps.ts'
import type { Metrics } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { sandboxActor } from '../../../../tests/networks/sandbox-networks.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startPublishing, until } from '../../../../tests/support/publishing.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** Service and sandbox share one clock that only the test advances. */
export async function startCollecting() {
  let at = Date.now()
  const clock = { now: () => new Date(at) }
  const publishing = await startPublishing({ clock, networksClock: clock })
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  const networks = openNetworks(sandboxApps(publishing.sandbox.url), { outbound, clock })
  const query = <Row extends object>(text: string, values: unknown[] = []) =>
    ownerQuery<Row>(publishing.databaseUrl, text, values)
  // Scheduled demo content would be published and read when days pass.
  await query('update sends set due = null where due is not null')

  /** A published post with its ids on the networks. */
  const published = async (network: string, credentialIds: string, message: object = {}) => {
    const text = `Numbers ${Math.random()}`
    const post = await publishing.post(network, credentialIds, { message: text, ...message })
    const { Postlogs } = await publishing.settled(post.Id)
    return { ...post, remoteIds: Postlogs.map(({ RemoteId }) => RemoteId) }
  }
  return {
    ...publishing,
    clock,
    query,
    published,
    /** Only while no profile is being read, so that none ends at a later time. */
    async move(milliseconds: number) {
      await until(async () => (await query(`select from jobs where name = 'analytics.collect-profile'`)).length === 0)
      at += milliseconds
    },
    /** Current values of the network itself. */
    async reported(network: Network, remoteId: string): Promise<Metrics> {
      const numbers = await networks.connector(network)?.metrics(sandboxActor(network), [remoteId])
      return numbers?.get(remoteId) as Metrics
    },
    stats: async (path: string) => (await publishing.reader(`GET /${path}`, { query: 'stats=1' })).json.Stats,
    /** Waits until a post has been read on all profiles at or after the current time. */
    read: (postId: string) =>
      until(async () => {
        const rows = await query<{ last_read: Date | null }>('select last_read from post_metrics where post_id = $1', [
          postId,
        ])
        return rows.length > 0 && rows.every(({ last_read: read }) => read !== null && read.getTime() >= at)
      }),
    profile: async (id: string) =>
      (
        await query<{ error: string; failures: number; not_before: Date; followers_due: Date }>(
          'select error, failures, not_before, followers_due from profile_metrics where credential_id = $1',
          [id],
        )
      )[0],
    async stop() {
      await publishing.stop()
      await outbound.close()
    },
  }
}

export type Collecting = Awaited<ReturnType<typeof startCollecting>>
