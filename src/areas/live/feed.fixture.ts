import { expect } from 'vitest'
import { type FeedClient, listenTo } from '../../../tests/support/feed-client.ts'
import { demoAccount, demoKey, otherAccount, type TestService } from '../../../tests/support/service.ts'

const basic = (account: string, key: string) => ({
  authorization: `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}`,
})

/** The demo's users with their API keys. */
export const listeners = {
  admin: basic(demoAccount, demoKey),
  publisher: basic(demoAccount, `${demoKey}-publisher`),
  contributor: basic(demoAccount, `${demoKey}-contributor`),
  reader: basic(demoAccount, `${demoKey}-read`),
  otherAdmin: basic(otherAccount, `${demoKey}-other`),
}

export type ListenerName = keyof typeof listeners

export const listenWith = (service: TestService, headers: Record<string, string>, after?: string) =>
  listenTo(`${service.url}/app/api/feed`, headers, after)

export const listen = (service: TestService, listener: ListenerName, after?: string) =>
  listenWith(service, listeners[listener], after)

/** The ids of received change notifications, optionally of one kind. */
export const notifiedIds = ({ events }: FeedClient, kind?: string): (string | null)[] =>
  events.filter(({ name, data }) => name === 'hint' && (!kind || data.kind === kind)).map(({ data }) => data.id)

export const eventsNamed = ({ events }: FeedClient, name: string) => events.filter((event) => event.name === name)

/** Waits until all clients have received it; earlier changes have been sent by then as well. */
export const expectAllNotified = async (clients: readonly FeedClient[], id: string) => {
  for (const client of clients) await expect.poll(() => notifiedIds(client)).toContain(id)
}
