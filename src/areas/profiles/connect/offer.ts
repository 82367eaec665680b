import type { Context } from '#kernel/context.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import type { Grant } from '#networks/connector/actor.ts'
import { type Attempt, attemptSeconds } from './attempt.ts'

interface Place {
  accountId: string
  id: string
}

/** Keeps what a login has opened until somebody chooses from it. */
export async function makeOffer(
  context: Context,
  { network, boardOnly }: Pick<Attempt, 'network' | 'boardOnly'>,
  grants: readonly Grant[],
): Promise<string> {
  const { db, accountId, userId, now, keyring } = context
  const id = newId('connectOffer', now)
  await db
    .deleteFrom('connectOffers')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - attemptSeconds * 1000))
    .execute()
  const sealed = keyring.encrypt(JSON.stringify(grants), placeOf({ accountId, id }))
  const row = { accountId, id, created: now, createdBy: userId, network, boardOnly, grants: sealed }
  await db.insertInto('connectOffers').values(row).execute()
  return id
}

/** What there is to choose from, without its secrets, for who made it. */
export async function findOffer({ db, accountId, userId, keyring, now }: Context, { id }: { id: string }) {
  const offer = await db
    .selectFrom('connectOffers')
    .select(['network', 'grants'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('createdBy', '=', userId)
    .where('boardOnly', '=', false)
    .where('created', '>=', new Date(now.getTime() - attemptSeconds * 1000))
    .executeTakeFirst()
  if (!offer) throw missing('Offer')
  const grants = JSON.parse(keyring.decrypt(offer.grants, placeOf({ accountId, id }))) as Grant[]
  return {
    network: offer.network,
    items: grants.map(({ remoteId, name, username, kind }) => ({ remoteId, name, username, kind })),
  }
}

/** Takes it, once: who made it chooses from it. */
export async function takeOffer(
  { db, accountId, userId, keyring }: Context,
  id: string,
  boardOnly: boolean,
): Promise<Grant[]> {
  const offer = await db
    .deleteFrom('connectOffers')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('createdBy', '=', userId)
    .where('boardOnly', '=', boardOnly)
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
