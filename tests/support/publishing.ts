import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#kernel/clock.ts'
import { testSandbox } from '../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from './database/owner.ts'
import { quick, startTestService } from './service.ts'

export const profiles = {
  x: '003-1-1500000000000000501',
  facebook: '003-1-100200300400501',
  instagram: '003-1-17841400000000501',
  linkedInPage: '003-1-2414183',
  linkedInMember: '003-1-aDaM4demo1',
  youtube: '003-1-UCsandboxNorthwindOut501',
  tiktok: '003-1-7100000000000000501',
}

interface Options
  extends Pick<Parameters<typeof startTestService>[0] & object, 'environment' | 'clock' | 'log' | 'pollingIntervals'> {
  /** Clock of the networks; the system's by default. */
  networksClock?: Clock
}

/** The service with its workers, connected to its own sandbox networks. */
export async function startPublishing({ networksClock: clock, ...options }: Options = {}) {
  const sandbox = await testSandbox(clock && { clock })
  await sandbox.control('/limits', { factor: 1000 })
  const { port } = new URL(sandbox.url)
  const environment = {
    CHORUS_DEMO: '1',
    CHORUS_SANDBOX_PORT: port,
    CHORUS_PUBLISH_CONFIRM_AFTER: '300ms,600ms,1s',
    ...options.environment,
  }
  const service = await startTestService({ ...(options.clock && { pollingIntervals: quick }), ...options, environment })
  const { publisher, databaseUrl } = service

  const campaign = async (name = 'Publishing'): Promise<string> =>
    (await publisher('POST /campaign', { body: { name } })).json.Campaign.Id
  /** A post with its own message; due immediately by default. */
  const post = async (network: string, credentialIds: string, message: object, rest: object = {}) => {
    const campaignId = (message as { campaignId?: string }).campaignId ?? '002demo00000001'
    const made = await publisher('POST /message', { body: { network, campaignId, ...message } })
    if (made.status !== 200) throw new Error(JSON.stringify(made.json))
    const body = { messageId: made.json.Message.Id, credentialIds, ...rest }
    const answer = await publisher('POST /post', { body })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.json))
    return answer.json.Post as { Id: string; MessageId: string; CampaignId: string; Status: string }
  }
  const read = async (id: string) =>
    (await service.reader(`GET /post/${id}`, { query: 'postlogs=1' })).json.Post as {
      Status: string
      Postlogs: { Status: string; Error: string; RemoteId: string; RemoteUrl: string; CredentialId: string }[]
      FirstComment?: { Status: string }
    }
  const sends = (id: string) =>
    ownerQuery<{ state: string; kind: string; error: string; attempts: number; due: Date | null }>(
      databaseUrl,
      'select state, kind, error, attempts, confirmations, due, progress from sends where content_id = $1 order by kind, credential_id',
      [id],
    )
  /** The post after the engine has finished with it. */
  const settled = async (id: string) => {
    // Polling the table is cheaper than calling the API.
    const isSettled = async () => {
      const settled = `select from posts where id = $1 and status in ('complete', 'incomplete', 'error')`
      return (await ownerQuery(databaseUrl, settled, [id])).length > 0
    }
    try {
      await until(isSettled)
    } catch {
      throw new Error(`The engine is not through with ${id}: ${JSON.stringify(await sends(id))}`)
    }
    return read(id)
  }
  return {
    ...service,
    sandbox,
    campaign,
    post,
    read,
    settled,
    sends,
    /** Posts on the networks that contain this text. */
    async published(text: string) {
      const entries = (await sandbox.ledger()) as {
        text: string
        remoteId: string
        network: string
        kind: string
        at: string
      }[]
      return entries.filter((entry) => entry.text.includes(text))
    },
    async stop() {
      await service.stop()
      await sandbox.close()
    },
  }
}

export type Publishing = Awaited<ReturnType<typeof startPublishing>>

/** Polls until there is a result, or until the timeout. */
export async function until<Value>(ask: () => Promise<Value | undefined | false>, patience = 120_000): Promise<Value> {
  const end = performance.now() + patience
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > end) throw new Error('It did not happen in time.')
    await sleep(40)
  }
}

/** Processes all values with limited concurrency. */
export async function byTurns<Value>(
  values: Iterable<Value>,
  atOnce: number,
  work: (value: Value) => Promise<unknown>,
): Promise<void> {
  const left = values[Symbol.iterator]()
  const serve = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, serve))
}
