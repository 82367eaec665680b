import { isIP } from 'node:net'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { linksChannel } from '../../link/link.ts'

/** Meaning of a Host header. */
export interface ShortHost {
  /** `own`: shared with the API; `short` and `custom`: short links only; `unknown`: not ours. */
  readonly kind: 'own' | 'short' | 'custom' | 'unknown'
  readonly name: string
  /** Path prefix of short links. */
  readonly prefix: string
  /** Owner of a custom domain; only its links are served there. */
  readonly account: string | undefined
}

interface ShortHosts {
  of(header: string): ShortHost
  close(): void
}

interface ShortHostsOptions {
  database: Database
  listener: Listener
  /** Without a trailing slash; empty until the process listens. */
  publicUrl(): string
  shortUrl(): string
  report(error: unknown): void
}

const refreshInterval = 30_000
const mostHeaders = 1_000

/** All domains of short links in memory: an unknown one must not cost a query. */
export async function openShortHosts(options: ShortHostsOptions): Promise<ShortHosts> {
  const { database, listener, report } = options
  let accounts = new Map<string, string>()
  const known = new Map<string, ShortHost>()
  let reading = false
  let again = false

  const read = async () => {
    do {
      again = false
      const rows = await database.shared.selectFrom('shortHosts').select(['host', 'account']).execute()
      accounts = new Map(rows.map(({ host, account }) => [host, account]))
      known.clear()
    } while (again)
  }
  const refresh = async () => {
    // A running query may have started before the change.
    again = true
    if (reading) return
    reading = true
    await read().catch(report)
    reading = false
  }
  listener.on(linksChannel, (payload) => {
    if (payload === undefined || payload === '' || payload.startsWith('host:')) void refresh()
  })
  await read()
  const timer = setInterval(refresh, refreshInterval).unref()

  return {
    of(header) {
      const host = known.get(header)
      if (host) return host
      const found = hostOf(header, options, accounts)
      // Headers are untrusted.
      if (known.size >= mostHeaders) known.clear()
      if (options.publicUrl() !== '') known.set(header, found)
      return found
    },
    close: () => clearInterval(timer),
  }
}

function hostOf(header: string, { publicUrl, shortUrl }: ShortHostsOptions, accounts: Map<string, string>): ShortHost {
  const host = header.toLowerCase()
  const name = hostName(host)
  const short = addressOf(shortUrl())
  const own = addressOf(publicUrl())
  const shortAlone = short.host !== own.host && (host === short.host || (name === short.name && name !== own.name))
  if (shortAlone) return { kind: 'short', name, prefix: short.prefix, account: undefined }
  const account = accounts.get(name)
  if (account !== undefined) return { kind: 'custom', name, prefix: '/', account }
  const kind = name === own.name || name === 'localhost' || isIP(name) > 0 ? 'own' : 'unknown'
  // A dedicated host isn't shared with the API.
  const prefix = short.name === own.name && short.host === own.host ? short.prefix : noPrefix
  return { kind, name, prefix, account: undefined }
}

/** Matches no path. */
const noPrefix = '\n'

/** Without port, brackets and trailing dot. */
function hostName(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'))
  return host.replace(/:\d*$/, '').replace(/\.$/, '')
}

function addressOf(url: string): { host: string; name: string; prefix: string } {
  if (!/^https?:/.test(url)) return { host: '', name: '', prefix: noPrefix }
  const { host, pathname } = new URL(url)
  return { host, name: hostName(host), prefix: pathname.endsWith('/') ? pathname : `${pathname}/` }
}
