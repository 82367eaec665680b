import { performance } from 'node:perf_hooks'
import type { Database } from '#kernel/database/database.ts'
import type { CachedLink } from './link-store.ts'

/** An account's settings for all its links. */
interface AccountSettings {
  readonly respectsDoNotTrack: boolean
  /** Parameter that passes the click id to the destination; empty for none. */
  readonly clickParameter: string
}

interface AccountSettingsCache {
  /** Cached, refreshed in the background when stale. Undefined if not known for certain. */
  cached(account: string): AccountSettings | undefined
  read(account: string): Promise<AccountSettings>
  /** Invalidates the cache: settings must be read before use. */
  invalidate(): void
}

interface CachedSettings {
  readonly settings: AccountSettings
  /** Refresh time. */
  readonly until: number
  certain: boolean
}

const refreshAfter = 10_000
const defaults: AccountSettings = { respectsDoNotTrack: true, clickParameter: '' }

export function openAccountSettings(database: Database, report: (error: unknown) => void): AccountSettingsCache {
  const all = new Map<string, CachedSettings>()
  const reading = new Map<string, Promise<AccountSettings>>()

  const read = (account: string): Promise<AccountSettings> => {
    const pending = reading.get(account)
    if (pending) return pending
    const loading: Promise<AccountSettings> = load(account)
      .catch((error) => {
        // Stale settings are better than none.
        const before = all.get(account)
        if (!before) throw error
        report(error)
        return before
      })
      .then((known) => {
        // Unless invalidated meanwhile.
        if (reading.get(account) === loading) all.set(account, known)
        return known.settings
      })
      .finally(() => {
        if (reading.get(account) === loading) reading.delete(account)
      })
    reading.set(account, loading)
    return loading
  }
  const load = async (account: string): Promise<CachedSettings> => {
    const until = performance.now() + refreshAfter
    const settings = await database
      .forAccount(account)
      .selectFrom('linkSettings')
      .select(['respectsDoNotTrack', 'clickParameter'])
      .where('accountId', '=', account)
      .where('campaignId', '=', '')
      .executeTakeFirst()
    return { settings: settings ?? defaults, until, certain: true }
  }

  return {
    cached(account) {
      const known = all.get(account)
      if (!known?.certain) return undefined
      if (known.until < performance.now()) read(account).catch(report)
      return known.settings
    },
    read,
    invalidate() {
      for (const known of all.values()) known.certain = false
      reading.clear()
    },
  }
}

/** A short link ready to be served. */
export interface ShortLink {
  readonly account: string
  readonly id: string
  /** Destination. With `tail`, the click id goes between the two. */
  readonly location: string
  readonly tail: string | undefined
  readonly disabled: boolean
  readonly respectsDoNotTrack: boolean
}

export function shortLink(link: CachedLink, { respectsDoNotTrack, clickParameter }: AccountSettings): ShortLink {
  const { account, id, disabled } = link
  const { location, tail } =
    clickParameter === ''
      ? { location: link.location, tail: undefined }
      : splitForClickId(link.location, clickParameter)
  return { account, id, location, tail, disabled, respectsDoNotTrack }
}

/** Splits the destination for the click id. An existing id came with a copied URL and belongs to another click. */
function splitForClickId(destination: string, parameter: string): { location: string; tail: string } {
  const [address = '', ...fragments] = destination.split('#')
  const [path = '', ...queries] = address.split('?')
  const pairs = queries.join('?').split('&')
  const others = pairs.filter((pair) => pair !== '' && nameOf(pair) !== parameter)
  const query = [...others, `${encodeURIComponent(parameter)}=`].join('&')
  return { location: `${path}?${query}`, tail: fragments.length > 0 ? `#${fragments.join('#')}` : '' }
}

function nameOf(pair: string): string {
  const name = pair.split('=')[0]?.replaceAll('+', ' ') ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
