import { performance } from 'node:perf_hooks'
import type { Database } from '#kernel/database/database.ts'
import type { KeptLink } from './link-store.ts'

/** An account's settings for all its links. */
interface Wishes {
  readonly respectsDoNotTrack: boolean
  /** Parameter that passes the click id to the destination; empty for none. */
  readonly clickParameter: string
}

interface AccountWishes {
  /** Cached, refreshed in the background when stale. Undefined if not known for certain. */
  known(account: string): Wishes | undefined
  read(account: string): Promise<Wishes>
  /** Invalidates the cache: settings must be read before use. */
  doubt(): void
}

interface Known {
  readonly wishes: Wishes
  /** Refresh time. */
  readonly until: number
  certain: boolean
}

const believedFor = 10_000
const usual: Wishes = { respectsDoNotTrack: true, clickParameter: '' }

export function openAccountWishes(database: Database, report: (error: unknown) => void): AccountWishes {
  const all = new Map<string, Known>()
  const reading = new Map<string, Promise<Wishes>>()

  const read = (account: string): Promise<Wishes> => {
    const under = reading.get(account)
    if (under) return under
    const loading: Promise<Wishes> = load(account)
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
        return known.wishes
      })
      .finally(() => {
        if (reading.get(account) === loading) reading.delete(account)
      })
    reading.set(account, loading)
    return loading
  }
  const load = async (account: string): Promise<Known> => {
    const until = performance.now() + believedFor
    const settings = await database
      .forAccount(account)
      .selectFrom('linkSettings')
      .select(['respectsDoNotTrack', 'clickParameter'])
      .where('accountId', '=', account)
      .where('campaignId', '=', '')
      .executeTakeFirst()
    return { wishes: settings ?? usual, until, certain: true }
  }

  return {
    known(account) {
      const known = all.get(account)
      if (!known?.certain) return undefined
      if (known.until < performance.now()) read(account).catch(report)
      return known.wishes
    },
    read,
    doubt() {
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

export function shortLink(link: KeptLink, { respectsDoNotTrack, clickParameter }: Wishes): ShortLink {
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
