import pg from 'pg'
import { cut } from './statement/statement.ts'

export interface Listener {
  /**
   * Calls back for every notification on the channel, and with undefined after a gap in which some may have been missed. Resolves once the
   * channel is subscribed.
   */
  on(channel: string, hear: (payload: string | undefined) => void): Promise<void>
  /** Delivers a notification immediately in this process; other processes receive it by NOTIFY. */
  tell(channel: string, payload: string): void
  close(): Promise<void>
}

interface ListenerOptions {
  /** Milliseconds between health checks: a frozen server sends nothing, not even a disconnect. */
  askEvery?: number
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
  { askEvery = 5_000, patience = 10_000 }: ListenerOptions = {},
): Promise<Listener> {
  const hearers = new Map<string, ((payload: string | undefined) => void)[]>()
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const tell = (channel: string, payload: string) => {
    for (const hear of hearers.get(channel) ?? []) hear(payload)
  }
  let asked: Promise<unknown> = Promise.resolve()
  /** One query at a time; the connection is dropped if the server doesn't respond in time. */
  const ask = (client: pg.Client, text: string): Promise<unknown> => {
    const answer = async () => {
      const enough = setTimeout(() => cut(client), patience)
      await client.query(text).finally(() => clearTimeout(enough))
    }
    const answered = asked.then(answer)
    asked = answered.catch(() => {})
    return answered
  }
  const listenTo = (client: pg.Client, channel: string) => ask(client, `listen ${pg.escapeIdentifier(channel)}`)

  const connect = async () => {
    const identity = { connectionString: url, application_name: 'chorus-listen' }
    const next = new pg.Client({ ...identity, connectionTimeoutMillis: patience, keepAlive: true })
    next.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''))
    // The `end` event follows and is handled.
    next.on('error', () => {})
    await next.connect()
    if (closed) return next.end()
    client = next
    next.on('end', () => {
      if (client !== next) return
      client = undefined
      comeBack()
    })
    try {
      for (const channel of hearers.keys()) await listenTo(next, channel)
    } catch {
      cut(next)
    }
  }
  const comeBack = () => {
    clearTimeout(retry)
    if (!closed) retry = setTimeout(again, reconnectDelay)
  }
  const again = async () => {
    try {
      await connect()
      for (const hear of [...hearers.values()].flat()) hear(undefined)
    } catch {
      comeBack()
    }
  }

  await connect()
  const asking = setInterval(() => {
    const current = client
    if (current) ask(current, 'select').catch(() => cut(current))
  }, askEvery).unref()

  return {
    async on(channel, hear) {
      const known = hearers.get(channel)
      hearers.set(channel, [...(known ?? []), hear])
      const current = client
      if (current && !known) await listenTo(current, channel).catch(() => cut(current))
    },
    tell,
    async close() {
      closed = true
      clearInterval(asking)
      clearTimeout(retry)
      const last = client
      if (!last) return
      const enough = setTimeout(() => cut(last), patience)
      await last.end().catch(() => {})
      clearTimeout(enough)
    },
  }
}
