import { sql } from 'kysely'
import { emitInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import type { Grant, Secret } from '#networks/connector/connector.ts'
import { networkNames } from '#networks/manifests.ts'
import { endOf, mergedSecret, notifyProfileChanged, openSecret, renewalOf, sealSecret } from '../access/profile-row.ts'
import { profileQuotas } from '../declarations.ts'

/** Stores a profile from a login, or renews the secret of an existing one. Returns its id. */
export async function keepProfile(context: Context, grant: Grant, boardOnly = false): Promise<string> {
  const { db, accountId, userId, now, keyring } = context
  const { network, remoteId: networkAccountId, kind, name, username: networkUsername, tier } = grant
  const known = await sameProfile(context, grant).modifyEnd(lockRows('credentials', 'update')).executeTakeFirst()
  const id = known?.id ?? (await newProfileId(context, grant))
  const existing = db.selectFrom('credentials').where('accountId', '=', accountId).where('deleted', 'is', null)
  const isNew = !known || known.deleted !== null
  if (isNew)
    await reserveQuota(
      context,
      boardOnly ? profileQuotas.advocateProfiles : profileQuotas.profiles,
      existing.where('boardOnly', '=', boardOnly),
    )
  // A deleted profile belongs to the user who connects it now.
  const owner = known?.deleted && { boardOnly, createdBy: userId }
  const before = known?.secret ? secretBefore(context, id, known.secret) : undefined
  const secret = mergedSecret(before, grant.secret)
  const shown = {
    kind,
    name,
    networkUsername,
    imageLink: grant.picture ?? '',
    tier: tier ?? null,
    parentCredentialId: await parentOf(context, grant),
    status: 'valid' as const,
    statusReason: '',
    invalidSince: null,
    secret: sealSecret(keyring, { accountId, id }, secret),
    expiresOn: endOf(secret),
    renewOn: renewalOf(secret, now),
    refreshingUntil: null,
    deleted: null,
    modified: now,
  }
  await db
    .insertInto('credentials')
    .values({ accountId, id, created: now, createdBy: userId, network, networkAccountId, boardOnly, ...shown })
    .onConflict((on) =>
      on
        .columns(['accountId', 'network', 'networkAccountId'])
        .doUpdateSet({ ...shown, ...owner, secretVersion: sql`credentials.secret_version + 1` }),
    )
    .execute()
  notifyProfileChanged(context, id)
  const isAdvocates = isNew ? boardOnly : known.boardOnly
  await emitInner(context, 'profileConnected', { credentialId: id, boardOnly: isAdvocates })
  return id
}

/** If it cannot be decrypted, nothing is lost: the profile is being reconnected. */
function secretBefore({ accountId, keyring }: Context, id: string, sealed: string): Secret | undefined {
  try {
    return openSecret(keyring, { accountId, id }, sealed)
  } catch {
    return undefined
  }
}

/** The existing row of the profile, even if it was deleted. */
export const sameProfile = ({ db, accountId }: Context, { network, remoteId }: Pick<Grant, 'network' | 'remoteId'>) =>
  db
    .selectFrom('credentials')
    .select(['id', 'secret', 'deleted', 'boardOnly', 'createdBy'])
    .where('accountId', '=', accountId)
    .where('network', '=', network)
    .where('networkAccountId', '=', remoteId)

async function parentOf(context: Context, { network, parentRemoteId }: Grant): Promise<string> {
  if (parentRemoteId === undefined) return ''
  const parent = await sameProfile(context, { network, remoteId: parentRemoteId }).executeTakeFirst()
  return parent?.id ?? ''
}

/** `003-<digits of the account>-<id on the network>`, with more digits if two networks use the same id. */
async function newProfileId({ db, accountId }: Context, { network, remoteId }: Grant): Promise<string> {
  const { number } = await db
    .selectFrom('accounts')
    .select('number')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const usual = `003-${number}-${remoteId}`
  const taken = await db
    .selectFrom('credentials')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', usual)
    .executeTakeFirst()
  return taken ? `003-${number}0${networkNames.indexOf(network)}-${remoteId}` : usual
}
