import { isIP } from 'node:net'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { linksChannel } from '../../link/link-directory.ts'

/** What a Host header stands for. */
export interface ShortHost {
  /** `own`: the service's, short links have a part of it; `short` and `custom`: theirs alone; `unknown`: not ours. */
  readonly kind: 'own' | 'short' | 'custom' | 'unknown'
  readonly name: string
  /** What paths of short links begin with. */
  readonly prefix: string
  /** Whose custom domain it is; nobody else's links are found under it. */
  readonly account: string | undefined
}

export interface ShortHosts {
  of(header: string): ShortHost
  close(): void
}

export interface ShortHostsOptions {
  database: Database
  listener: Listener
  /** Both without a slash at their end; empty until the process listens. */
  publicUrl(): string
  shortUrl(): string
  report(error: unknown): void
}

const readAgainAfter = 30_000
const headersRemembered = 1_000

/** The domains that short links stand under, all of them in memory: an unknown one must not cost a statement. */
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
    // What is under way may have begun before the change.
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
  const timer = setInterval(refresh, readAgainAfter).unref()

  return {
    of(header) {
      const host = known.get(header)
      if (host) return host
      const found = hostOf(header, options, accounts)
      // Anybody may send any header.
      if (known.size >= headersRemembered) known.clear()
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
  // A host of their own is not shared with the interface.
  const prefix = short.name === own.name && short.host === own.host ? short.prefix : noPrefix
  return { kind, name, prefix, account: undefined }
}

/** What no path begins with. */
const noPrefix = '\n'

/** Without port, brackets, and the dot that ends a full domain name. */
function hostName(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'))
  return host.replace(/:\d*$/, '').replace(/\.$/, '')
}

function addressOf(url: string): { host: string; name: string; prefix: string } {
  if (!/^https?:/.test(url)) return { host: '', name: '', prefix: noPrefix }
  const { host, pathname } = new URL(url)
  return { host, name: hostName(host), prefix: pathname.endsWith('/') ? pathname : `${pathname}/` }
}
