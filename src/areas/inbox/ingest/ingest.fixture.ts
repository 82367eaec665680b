import { openOutbound } from '#kernel/outbound/outbound.ts'
import { registerSandboxWebhooks } from '#main/process/sandbox-process.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startReceiver } from '../../../../tests/support/external-servers.ts'
import { profiles, startPublishing, until } from '../../../../tests/support/publishing.ts'
import { demoAccount } from '../../../../tests/support/service.ts'

export { profiles }

/** Id of each demo profile in the sandbox. */
export const remoteOf = (profile: string) => profile.split('-').slice(2).join('-')

interface Item {
  id: string
  network: string
  itemType: string
  status: string
  text: string
  language: string
  entries: number
  remoteKey: string
  personName: string
  postText: string
  postlogId: string | null
  lastActivity: Date
}

interface Entry {
  itemId: string
  type: string
  content: string
  isOwn: boolean
  remoteId: string
  personName: string
  edited: Date | null
  removed: Date | null
  details: object
}

/** The service with its sandbox, polled at this interval, and queries of both; webhooks only on request. */
export async function startInbox(pollSeconds: number, { hasWebhooks = false } = {}) {
  const service = await startPublishing({
    environment: { CHORUS_POLL_SECONDS: String(pollSeconds), CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' },
  })
  const { databaseUrl, sandbox, publisher, admin } = service
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  await registerSandboxWebhooks(outbound, { url: sandbox.url, token: 'sandbox' }, service.url)
  await outbound.close()
  const ask = <Row>(text: string, values: unknown[] = []) => ownerQuery<Row & object>(databaseUrl, text, values)
  const receiver = await startReceiver()
  for (const event of hasWebhooks ? inboxEvents : []) {
    const { status, json } = await admin('POST /webhook', { body: { name: event, url: receiver.url, event } })
    if (status !== 200) throw new Error(JSON.stringify(json))
  }

  /** Publishes a post and returns its id on the network. */
  const published = async (network: string, profile: string, message: object): Promise<string> => {
    const { Id } = await service.post(network, profile, message)
    const { Postlogs } = await service.settled(Id)
    return Postlogs[0]?.RemoteId ?? ''
  }
  const items = (credentialId: string) =>
    ask<Item>(
      `select id, network, item_type as "itemType", status, text, language, entries, remote_key as "remoteKey", person_name as "personName",
         post_text as "postText", postlog_id as "postlogId", last_activity as "lastActivity"
       from inbox_items where credential_id = $1 order by created, id`,
      [credentialId],
    )
  const entries = (itemId: string) =>
    ask<Entry>(
      `select item_id as "itemId", type, content, is_own as "isOwn", remote_id as "remoteId", person_name as "personName", edited, removed, details
       from inbox_entries where item_id = $1 order by created, id`,
      [itemId],
    )
  /** Resolves when nothing is queued for the inbox of the demo account. */
  const quiet = () =>
    until(async () => {
      const [row] = await ask<{ count: number }>(
        `select count(*)::int from inbox_activities where account_id = $1 and state = 'new'`,
        [demoAccount],
      )
      return row?.count === 0
    })
  return {
    ...service,
    ask,
    published,
    items,
    entries,
    receiver,
    quiet,
    inject: (profile: string, network: string, activity: object) =>
      sandbox.inject({ network, profile: remoteOf(profile), ...activity }) as Promise<{
        remoteId: string
        threadId: string | null
      }>,
    /** The item with this text, once it exists. */
    item: (credentialId: string, text: string) =>
      until(async () => (await items(credentialId)).find((item) => item.text === text)),
    /** Webhook deliveries in order. */
    webhookCalls: () => receiver.calls.map(({ body }) => JSON.parse(body) as { event: string; data: WebhookCall[] }),
    /** Resolves when all activities of the networks are in the inbox. */
    async settled() {
      await until(async () => {
        const { deliveries } = (await sandbox.control('/push')).body as { deliveries: { delivered: boolean }[] }
        return deliveries.every(({ delivered }) => delivered)
      })
      await quiet()
    },
    /** Resolves when all push subscriptions are registered; the demo has one more LinkedIn page. */
    subscribed: () =>
      until(async () => {
        const [row] = await ask<{ count: number }>(
          'select count(*)::int from inbox_profiles where account_id = $1 and (push_renew is null or push_renew > now())',
          [demoAccount],
        )
        return row?.count === Object.keys(profiles).length + 1
      }),
    publisher,
    async stop() {
      await service.stop()
      await receiver.stop()
    },
  }
}

interface WebhookCall {
  Id?: string
  Item?: { Id: string; Status: string }
  Text?: string
  Status?: { From: string; To: string }
}

const inboxEvents = [
  'newInboxItem',
  'newCommentOnInboxItem',
  'newDirectMessageOnInboxItem',
  'inboxItemStatusChange',
  'newConversation',
  'conversationUpdated',
  'conversationStatusUpdated',
  'newEngagementItem',
  'updatedEngagementItem',
]

export type Inbox = Awaited<ReturnType<typeof startInbox>>
