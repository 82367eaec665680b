import { type Selectable, sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import type { Credentials } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { SkippedRow } from '#kernel/skipped-rows.ts'
import type { Actor, Secret } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/fault.ts'
import type { Network } from '#networks/manifests.ts'
import type { Networks } from '#networks/networks.ts'
import { openSecret } from './profile-secret.ts'

/** What is needed to use the access to profiles; a command has no more. */
export interface AccessInstallation extends Omit<Installation, 'outbound' | 'files'> {
  readonly networks: Networks
}

/** What is needed to act in the name of profiles. */
export type ProfileInstallation = Installation & AccessInstallation

export interface ProfilePlace {
  accountId: string
  id: string
}

/** A profile as it can be used. */
export interface Profile {
  connector: Connector
  actor: Actor
  /** Each new secret has the next one. */
  secretVersion: number
}

/** Reads a profile with its secret; refuses one that cannot be used, saying why. */
export const readProfile = async (installation: AccessInstallation, place: ProfilePlace): Promise<Profile> =>
  profileOf(installation, place, await credentialRow(installation.database.forAccount(place.accountId), place))

/** The same of a row that was read; nothing is one that is gone. */
export function profileOf(
  { keyring, networks }: AccessInstallation,
  place: ProfilePlace,
  row: CredentialRow | undefined,
): Profile {
  if (!row) throw missing('Credential')
  const connector = networks.connector(row.network)
  if (!connector) throw invalid(`This installation is not connected to ${row.network}.`)
  if (row.status !== 'valid' || row.secret === null) {
    const why = row.statusReason || 'Somebody has to connect the profile again.'
    throw new NetworkError(row.network as Network, { kind: 'token', remedy: 'reconnect' }, why)
  }
  const actor: Actor = {
    network: row.network as Network,
    kind: row.kind,
    remoteId: row.networkAccountId,
    username: row.networkUsername,
    tier: row.tier ?? undefined,
    secret: readSecret(keyring, place, row.secret),
  }
  return { connector, actor, secretVersion: row.secretVersion }
}

function readSecret(keyring: Keyring, place: ProfilePlace, sealed: string): Secret {
  try {
    return openSecret(keyring, place, sealed)
  } catch (error) {
    const why = 'The access that was kept for this profile cannot be read. Somebody has to connect the profile again.'
    throw new SkippedRow('profile', place.id, why, error)
  }
}

export type CredentialRow = Selectable<Credentials>

export const credentialRow = (db: Db, { accountId, id }: ProfilePlace) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()

/** Those of many profiles, by their id. */
export async function credentialRows(db: Db, accountId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('credentials')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .where('deleted', 'is', null)
    .execute()
  return new Map<string, CredentialRow>(rows.map((row) => [row.id, row]))
}
