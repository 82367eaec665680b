import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import type { Grant } from '#networks/connector/actor.ts'
import type { Network } from '#networks/manifests.ts'
import { attemptSeconds } from './attempt.ts'

interface Place {
  accountId: string
  id: string
}

/** Keeps what a login has opened until somebody chooses from it. */
export async function makeOffer(context: Context, network: Network, grants: readonly Grant[]): Promise<string> {
  const { db, accountId, userId, now, keyring } = context
  const id = newId('connectOffer', now)
  await db
    .deleteFrom('connectOffers')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - attemptSeconds * 1000))
    .execute()
  const sealed = keyring.encrypt(JSON.stringify(grants), placeOf({ accountId, id }))
  const row = { accountId, id, created: now, createdBy: userId, network, grants: sealed }
  await db.insertInto('connectOffers').values(row).execute()
  return id
}

/** Takes it, once: who made it chooses from it. */
export async function takeOffer({ db, accountId, userId, keyring }: Context, id: string): Promise<Grant[]> {
  const offer = await db
    .deleteFrom('connectOffers')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('createdBy', '=', userId)
    .returning('grants')
    .executeTakeFirst()
  if (!offer) throw invalid('The choice was made already, or too long ago. Start the login again.')
  const grants = JSON.parse(keyring.decrypt(offer.grants, placeOf({ accountId, id }))) as Grant[]
  return grants.map(({ secret, ...grant }) => ({
    ...grant,
    secret: { ...secret, expiresAt: date(secret.expiresAt), refreshExpiresAt: date(secret.refreshExpiresAt) },
  }))
}

export const placeOf = ({ accountId, id }: Place) => `connect offer/${accountId}/${id}`

const date = (text: Date | string | undefined) => (text === undefined ? undefined : new Date(text))
