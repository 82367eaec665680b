import { type Selectable, sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Credentials } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { SkippedRow } from '#kernel/skipped-rows.ts'
import type { Actor, Secret } from '#networks/connector/connector.ts'
import { type Connector, NetworkError, profileRules } from '#networks/connector/connector.ts'
import { defaultOptions } from '#networks/connector/manifest.ts'
import type { Capabilities, Limits } from '#networks/content/content.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import type { Networks } from '#networks/networks.ts'
import { profileChanges, profileKey } from '../declarations.ts'

export interface ProfileRef {
  accountId: string
  id: string
}

export const sealSecret = (keyring: Keyring, profile: ProfileRef, secret: Secret) =>
  keyring.encrypt(JSON.stringify(secret), secretScope(profile))

export function openSecret(keyring: Keyring, profile: ProfileRef, sealed: string): Secret {
  const { expiresAt, refreshExpiresAt, ...rest } = JSON.parse(keyring.decrypt(sealed, secretScope(profile)))
  return { ...rest, expiresAt: dateIn(expiresAt), refreshExpiresAt: dateIn(refreshExpiresAt) }
}

/** Used as associated data of the encryption: a secret copied to another profile's row cannot be decrypted. */
export const secretScope = ({ accountId, id }: ProfileRef) => `credential/${accountId}/${id}`

/** Merges a new secret into the previous one. Omitted values are kept, so that a valid secret is never replaced by an empty one. */
export function mergedSecret(before: Secret | undefined, now: Secret): Secret {
  if (!now.accessToken) throw new Error('The network gave no access token.')
  const keepsRefresh = !now.refreshToken && before?.refreshToken !== undefined
  return {
    ...now,
    refreshToken: keepsRefresh ? before.refreshToken : now.refreshToken,
    refreshExpiresAt: keepsRefresh ? before.refreshExpiresAt : now.refreshExpiresAt,
    scopes: now.scopes.length > 0 ? now.scopes : (before?.scopes ?? []),
  }
}

/** The time until which the profile works without a user reconnecting it. */
export const endOf = ({ refreshToken, expiresAt, refreshExpiresAt }: Secret): Date | null =>
  (refreshToken ? refreshExpiresAt : expiresAt) ?? null

/** Long-lived tokens are renewed at half their lifetime, whether they are used or not; short-lived ones on demand. */
export function renewalOf({ expiresAt }: Secret, now: Date): Date | null {
  const lifetime = expiresAt ? expiresAt.getTime() - now.getTime() : 0
  return lifetime > 2 * day ? new Date(now.getTime() + lifetime / 2) : null
}

const day = 24 * 60 * 60 * 1000

const dateIn = (text: unknown) => (typeof text === 'string' ? new Date(text) : undefined)

/** The dependencies for access to profiles; commands have only these. */
export interface AccessInstallation extends Omit<Installation, 'outbound' | 'files'> {
  readonly networks: Networks
}

/** The dependencies for acting with profiles. */
export type ProfileInstallation = Installation & AccessInstallation

/** A usable profile. */
export interface Profile {
  connector: Connector
  actor: Actor
  /** Incremented with every new secret. */
  secretVersion: number
}

/** Reads a profile with its secret; refuses an unusable one with the reason. */
export const readProfile = async (installation: AccessInstallation, ref: ProfileRef): Promise<Profile> =>
  profileOpener(installation, ref)(await credentialRow(installation.database.forAccount(ref.accountId), ref))

/** Opens rows of one profile that were read already. A secret is decrypted again only if it has changed since the row before. */
export function profileOpener(installation: AccessInstallation, ref: ProfileRef) {
  let known: { sealed: string; secret: Secret } | undefined
  const read = (sealed: string) => {
    if (known?.sealed !== sealed) known = { sealed, secret: readSecret(installation.keyring, ref, sealed) }
    return known.secret
  }
  return (row: CredentialRow | undefined) => profileOf(installation, row, read)
}

/** Undefined stands for a row that does not exist. */
function profileOf(
  { networks }: AccessInstallation,
  row: CredentialRow | undefined,
  read: (sealed: string) => Secret,
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
    secret: read(row.secret),
  }
  return { connector, actor, secretVersion: row.secretVersion }
}

function readSecret(keyring: Keyring, ref: ProfileRef, sealed: string): Secret {
  try {
    return openSecret(keyring, ref, sealed)
  } catch (error) {
    const why = 'The access that was kept for this profile cannot be read. Somebody has to connect the profile again.'
    throw new SkippedRow('profile', ref.id, why, error)
  }
}

/** The columns needed to use a profile. */
const usedColumns = [
  'id',
  'network',
  'kind',
  'networkAccountId',
  'networkUsername',
  'tier',
  'status',
  'statusReason',
  'secret',
  'secretVersion',
] as const

export type CredentialRow = Pick<Selectable<Credentials>, (typeof usedColumns)[number]>

const credentialRow = (db: Db, { accountId, id }: ProfileRef) =>
  db
    .selectFrom('credentials')
    .select(usedColumns)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()

/** By profile id. */
export async function credentialRows(db: Db, accountId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('credentials')
    .select(usedColumns)
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .where('deleted', 'is', null)
    .execute()
  return new Map<string, CredentialRow>(rows.map((row) => [row.id, row]))
}

/** The columns that determine a profile's capabilities. */
export const ruledColumns = ['id', 'network', 'kind', 'tier', 'secret'] as const
export type RuledProfile = Pick<Selectable<Credentials>, (typeof ruledColumns)[number]>

export interface Rules {
  network: Network
  limits: Limits
  capabilities: Capabilities
}

/**
 * The capabilities of a profile, given the app of this installation and the scopes of its login; a missing app is reported when sending.
 */
export function rulesOf(context: Pick<Context, 'accountId' | 'appOptions' | 'keyring'>, profile: RuledProfile): Rules {
  const network = profile.network as Network
  const manifest = manifestOf(network)
  const options = context.appOptions(network) ?? defaultOptions(manifest)
  const { kind, tier } = profile
  const facts = { kind, tier: tier ?? undefined, secret: { scopes: grantedTo(context, profile) } }
  return { network, ...profileRules(manifest, { options }, facts) }
}

/** Undefined if unknown: then the network decides. */
function grantedTo(
  { accountId, keyring }: Pick<Context, 'accountId' | 'keyring'>,
  { id, secret }: RuledProfile,
): string[] {
  if (secret === null) return []
  try {
    return openSecret(keyring, { accountId, id }, secret).scopes
  } catch {
    return []
  }
}

/** Call it when a visible property of a profile has changed; a renewed token is not one. */
export const notifyProfileChanged = ({ notifyChange }: Context, id: string) =>
  notifyChange({ kind: profileChanges.profile, id, parent: null, scope: null })

export const watchedProfiles: PresenceKind = {
  kind: profileChanges.profile,
  reference: profileKey,
  async find({ db, accountId }, id) {
    const profile = await db
      .selectFrom('credentials')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('deleted', 'is', null)
      .executeTakeFirst()
    return profile && { parent: null, scope: null }
  },
}
