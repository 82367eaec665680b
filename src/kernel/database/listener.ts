import pg from 'pg'

export interface Listener {
  /** Calls back for every notification on the channel, and with no payload after a gap in which some may have been missed. */
  on(channel: string, hear: (payload: string | undefined) => void): void
  /** Tells this process at once what the other processes hear by NOTIFY. */
  tell(channel: string, payload: string): void
  close(): Promise<void>
}

const reconnectDelay = 500

/** One connection that hears NOTIFY for the whole process and comes back by itself. Notifications are hints, never the truth. */
export async function openListener(url: string): Promise<Listener> {
  const hearers = new Map<string, ((payload: string | undefined) => void)[]>()
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const tell = (channel: string, payload: string) => {
    for (const hear of hearers.get(channel) ?? []) hear(payload)
  }

  const connect = async () => {
    const next = new pg.Client({ connectionString: url, application_name: 'chorus-listen', keepAlive: true })
    next.on('notification', ({ channel, payload }) => {
      tell(channel, payload ?? '')
    })
    next.on('error', () => reconnect(next))
    next.on('end', () => reconnect(next))
    await next.connect()
    if (closed) return next.end()
    client = next
    for (const channel of hearers.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
  }

  const reconnect = (broken: pg.Client) => {
    if (closed || client !== broken) return
    client = undefined
    retry = setTimeout(again, reconnectDelay)
  }

  const again = async () => {
    try {
      await connect()
      for (const hear of [...hearers.values()].flat()) hear(undefined)
    } catch {
      if (!closed) retry = setTimeout(again, reconnectDelay)
    }
  }

  await connect()
  return {
    on(channel, hear) {
      const known = hearers.get(channel)
      hearers.set(channel, [...(known ?? []), hear])
      if (!known) client?.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => {})
    },
    tell,
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => {})
    },
  }
}
