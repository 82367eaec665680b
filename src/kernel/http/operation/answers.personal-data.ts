import { type PersonalDataLocation, traitsOf } from '../../personal-data.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { storageKeyOf } from './idempotency.ts'

const atOnce = 500

/** Responses stored for idempotent replay: encrypted, for one day. Responses that contain data of the person are no longer replayed. */
export const answersPersonalData: PersonalDataLocation = {
  name: 'answers',
  isCopy: true,
  async forget({ db, accountId, keyring }, person, from) {
    const wanted = [person.leadId, ...traitsOf(person)].map((trait) => trait.toLowerCase())
    const [afterUser = '', afterKey = ''] = from.split(' ')
    const rows = await db
      .selectFrom('idempotencyKeys')
      .select(['accountId', 'userId', 'key', 'answer'])
      .where('accountId', '=', accountId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('userId', 'key'), '>', tuple(afterUser, afterKey)))
      .where('answer', 'is not', null)
      .orderBy('userId')
      .orderBy('key')
      .limit(atOnce)
      .execute()
    for (const row of rows) {
      const text = opened(keyring, row).toLowerCase()
      if (!wanted.some((trait) => text.includes(trait))) continue
      await db
        .updateTable('idempotencyKeys')
        .set({ answer: keyring.encrypt('{"Result":true}', storageKeyOf(row)) })
        .where('accountId', '=', accountId)
        .where('userId', '=', row.userId)
        .where('key', '=', row.key)
        .execute()
    }
    const last = rows.length === atOnce ? rows.at(-1) : undefined
    return last && `${last.userId} ${last.key}`
  },
}

interface Sealed {
  accountId: string
  userId: string
  key: string
  answer: string | null
}

/** A response encrypted with a removed key is unreadable. */
function opened(keyring: Keyring, row: Sealed): string {
  try {
    return keyring.decrypt(row.answer ?? '', storageKeyOf(row))
  } catch {
    return ''
  }
}
