import type { Context } from '#kernel/context.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'

/** How long an address of a file can be used; a new one is made whenever somebody asks. */
const lifetime = 24 * 60 * 60 * 1000

interface Place {
  accountId: string
  id: string
}

/** Where a run's file can be fetched without credentials, for a day; nothing when there is none any more. */
export async function fileUrl({ db, accountId, ...context }: Context, id: string): Promise<string> {
  const run = await db
    .selectFrom('exportRuns')
    .select(['fileKey', 'fileName'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return run && run.fileKey !== '' ? addressOf(context, { accountId, id }, run.fileName) : ''
}

/** The address itself, good until a day from now or until a moment that is given. */
export function addressOf(
  { keyring, publicUrl, now }: Pick<Context, 'keyring' | 'publicUrl' | 'now'>,
  place: Place,
  name: string,
  until = new Date(now.getTime() + lifetime),
): string {
  const token = Buffer.from(keyring.encrypt(String(until.getTime()), placeOf(place))).toString('base64url')
  return `${publicUrl}/export/${place.accountId}/${place.id}/${token}/${encodeURIComponent(name)}`
}

/** Whether the token was made for this file, and still counts. */
export function isGood(keyring: Keyring, place: Place, token: string, now: Date): boolean {
  try {
    return Number(keyring.decrypt(Buffer.from(token, 'base64url').toString(), placeOf(place))) > now.getTime()
  } catch {
    return false
  }
}

const placeOf = ({ accountId, id }: Place) => `export file/${accountId}/${id}`
