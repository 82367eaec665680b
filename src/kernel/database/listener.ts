import pg from 'pg'
import { cut } from './statement/statement.ts'

export interface Listener {
  /**
   * Calls back for every notification on the channel, and with undefined after a gap in which some may have been missed. Resolves once the
   * channel is subscribed.
   */
  on(channel: string, callback: (payload: string | undefined) => void): Promise<void>
  /** Delivers a notification immediately in this process; other processes receive it by NOTIFY. */
  deliver(channel: string, payload: string): void
  close(): Promise<void>
}

interface ListenerOptions {
  /** Milliseconds between health checks: a frozen server sends nothing, not even a disconnect. */
  checkEvery?: number
  /** Milliseconds to wait for a connection or for any response. */
  patience?: number
}

const reconnectDelay = 500

/**
 * One connection that receives NOTIFY for the whole process and reconnects by itself. Notifications may be lost, so they only trigger a new
 * read.
 */
export async function openListener(
  url: string,
  { checkEvery = 5_000, patience = 10_000 }: ListenerOptions = {},
): Promise<Listener> {
  const callbacks = new Map<string, ((payload: string | undefined) => void)[]>()
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const deliver = (channel: string, payload: string) => {
    for (const callback of callbacks.get(channel) ?? []) callback(payload)
  }
  let lastQuery: Promise<unknown> = Promise.resolve()
  /** One query at a time; the connection is dropped if the server doesn't respond in time. */
  const query = (client: pg.Client, text: string): Promise<unknown> => {
    const run = async () => {
      const timeout = setTimeout(() => cut(client), patience)
      await client.query(text).finally(() => clearTimeout(timeout))
    }
    const result = lastQuery.then(run)
    lastQuery = result.catch(() => {})
    return result
  }
  const listenTo = (client: pg.Client, channel: string) => query(client, `listen ${pg.escapeIdentifier(channel)}`)

  const connect = async () => {
    const identity = { connectionString: url, application_name: 'chorus-listen' }
    const next = new pg.Client({ ...identity, connectionTimeoutMillis: patience, keepAlive: true })
    next.on('notification', ({ channel, payload }) => deliver(channel, payload ?? ''))
    // The `end` event follows and is handled.
    next.on('error', () => {})
    await next.connect()
    if (closed) return next.end()
    client = next
    next.on('end', () => {
      if (client !== next) return
      client = undefined
      scheduleReconnect()
    })
    try {
      for (const channel of callbacks.keys()) await listenTo(next, channel)
    } catch {
      cut(next)
    }
  }
  const scheduleReconnect = () => {
    clearTimeout(retry)
    if (!closed) retry = setTimeout(reconnect, reconnectDelay)
  }
  const reconnect = async () => {
    try {
      await connect()
      for (const callback of [...callbacks.values()].flat()) callback(undefined)
    } catch {
      scheduleReconnect()
    }
  }

  await connect()
  const healthCheck = setInterval(() => {
    const current = client
    if (current) query(current, 'select').catch(() => cut(current))
  }, checkEvery).unref()

  return {
    async on(channel, callback) {
      const known = callbacks.get(channel)
      callbacks.set(channel, [...(known ?? []), callback])
      const current = client
      if (current && !known) await listenTo(current, channel).catch(() => cut(current))
    },
    deliver,
    async close() {
      closed = true
      clearInterval(healthCheck)
      clearTimeout(retry)
      const last = client
      if (!last) return
      const timeout = setTimeout(() => cut(last), patience)
      await last.end().catch(() => {})
      clearTimeout(timeout)
    },
  }
}
