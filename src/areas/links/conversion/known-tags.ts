import type { Clock } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import { isId } from '#kernel/ids.ts'

interface KnownTag {
  account: string
  isActive: boolean
}

const mostRemembered = 10_000
/** How long a tag is believed to be as it was; a page that names none that exists may be loaded often. */
const believedFor = 5_000

/** Finds the account of a tag that a page names, mostly from memory. */
export function openKnownTags({ forAnybody }: Database, clock: Clock) {
  const remembered = new Map<string, { tag: KnownTag | undefined; until: number }>()

  const read = async (id: string): Promise<KnownTag | undefined> => {
    const owner = await forAnybody('')
      .selectFrom('conversionTagAccounts')
      .select('account')
      .where('tag', '=', id)
      .executeTakeFirst()
    if (!owner) return undefined
    const tag = await forAnybody(owner.account)
      .selectFrom('conversionTags')
      .select('status')
      .where('accountId', '=', owner.account)
      .where('id', '=', id)
      .executeTakeFirst()
    return tag && { account: owner.account, isActive: tag.status === 'active' }
  }
  return async (id: string): Promise<KnownTag | undefined> => {
    if (!isId('conversionTag', id)) return undefined
    const now = clock.now().getTime()
    const known = remembered.get(id)
    if (known && known.until > now) return known.tag
    const tag = await read(id)
    if (remembered.size >= mostRemembered) remembered.clear()
    remembered.set(id, { tag, until: now + believedFor })
    return tag
  }
}
