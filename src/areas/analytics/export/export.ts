import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { Exports } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { may } from '#kernel/permissions.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { type Keyring, refuseKeptSecret } from '#kernel/secrets/keyring.ts'
import { analyticsIds, analyticsQuotas } from '../declarations.ts'
import { timeZoneOf } from '../report/period.ts'
import {
  changedDestination,
  type Destination,
  type DestinationType,
  type Given,
  mask,
  readDestination,
  secretNames,
  secretTarget,
} from './destination/destination.ts'
import type { ExportChanges, ExportDraft } from './export-shape.ts'
import { fileUrl, removeFilesOf } from './run/run-files.ts'
import { frequencyText, nextRun, timeRangeText } from './schedule.ts'

export type ExportRow = Omit<Selectable<Exports>, 'destination'> & { destination: Destination }

interface SecretScope {
  accountId: string
  id: string
}

/** Exports contain data of the whole account, so their endpoints require admins. */
export const ownExports = ({ db, accountId }: Pick<Context, 'db' | 'accountId'>) =>
  db.selectFrom('exports').selectAll().where('accountId', '=', accountId).$narrowType<{ destination: Destination }>()

export async function requireExport(context: Context, id: string): Promise<ExportRow> {
  const found = await ownExports(context).where('id', '=', id).executeTakeFirst()
  if (!found) throw missing('Export')
  return found
}

async function lockExport(context: Context, id: string): Promise<ExportRow> {
  const found = await ownExports(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('exports', 'update'))
    .executeTakeFirst()
  if (!found) throw missing('Export')
  return found
}

export const encryptSecret = (keyring: Keyring, scope: SecretScope, secret: string) =>
  keyring.encrypt(secret, secretScope(scope))

export const decryptSecret = (keyring: Keyring, scope: SecretScope, encrypted: string | null) =>
  encrypted === null ? '' : keyring.decrypt(encrypted, secretScope(scope))

/** Binds a secret to its row: a copy in another row can't be decrypted. */
export const secretScope = ({ accountId, id }: SecretScope) => `export/${accountId}/${id}`

/** As in the contract. */
export const get = async (context: Context, { id }: { id: string }) =>
  contractView(await withFile(context, await requireExport(context, id)))

/** With all editable fields. */
export const getOwn = async (context: Context, { id }: { id: string }) =>
  editableView(await withFile(context, await requireExport(context, id)))

interface Search {
  status?: 'active' | 'inactive' | undefined
  page: Page
}

export async function search(context: Context, requested: Search) {
  const { items, total } = await find(context, requested)
  return { exports: items.map(contractView), total }
}

export async function searchOwn(context: Context, requested: Search) {
  const { items, total } = await find(context, requested)
  return { items: await Promise.all(items.map(async (row) => editableView(await withFile(context, row)))), total }
}

/** Sort keys of the contract. */
const columns: { readonly [key: string]: string } = { dest: 'destinationType', last: 'lastRun', freq: 'frequency' }

async function find(context: Context, { status, page: { order, ...page } }: Search) {
  const matching = ownExports(context).$if(status !== undefined, (rows) =>
    rows.where('status', '=', status as NonNullable<typeof status>),
  )
  return paginate(matching, { ...page, order: { ...order, column: columns[order.column] ?? order.column } })
}

const defaults = {
  frequency: 'daily',
  weekday: 1,
  monthDay: 1,
  hour: 6,
  timeRange: 'yesterday',
  status: 'active',
} as const

export async function create(context: Context, { destination: given, destinationType, ...draft }: ExportDraft) {
  const { db, accountId, userId, now, keyring } = context
  await reserveQuota(context, analyticsQuotas.exports, ownExports(context))
  const id = newId(analyticsIds.export, now)
  const secret = requireSecret(destinationType, given ?? {})
  const row = {
    accountId,
    id,
    created: now,
    modified: now,
    createdBy: userId,
    destinationType,
    ...defaults,
    timezone: await timeZoneOf(context),
    ...draft,
    destination: JSON.stringify(readDestination(destinationType, given ?? {})),
    secret: secret === null ? null : encryptSecret(keyring, { accountId, id }, secret),
  }
  const next = row.status === 'active' ? nextRun(row, now) : null
  await db
    .insertInto('exports')
    .values({ ...row, nextRun: next })
    .execute()
  return getOwn(context, { id })
}

export async function update(context: Context, { id, destination, destinationType, ...changes }: ExportChanges) {
  const { db, accountId, now, keyring } = context
  // Locked, so that a concurrent update can't combine a secret with another server.
  const before = await lockExport(context, id)
  const after = { ...before, ...changes, destinationType: destinationType ?? before.destinationType }
  const given = destination ?? {}
  await db
    .updateTable('exports')
    .set({
      ...changes,
      ...destinationChange(keyring, before, after.destinationType, given),
      nextRun: after.status === 'active' ? nextRun(after, now) : null,
      modified: now,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  return getOwn(context, { id })
}

/** Columns of the destination. A stored secret is kept while its target is unchanged. */
function destinationChange(keyring: Keyring, before: ExportRow, destinationType: DestinationType, given: Given) {
  const encrypt = (secret: string | null) => (secret === null ? null : encryptSecret(keyring, before, secret))
  if (destinationType !== before.destinationType) {
    const destination = JSON.stringify(readDestination(destinationType, given))
    return { destinationType, destination, secret: encrypt(requireSecret(destinationType, given)) }
  }
  const after = changedDestination(destinationType, given, before.destination)
  const secret = givenSecret(destinationType, given)
  const name = secretNames[destinationType]
  if (secret === null && name !== undefined)
    refuseKeptSecret(
      `destination[${name}]`,
      secretTarget(destinationType, before.destination),
      secretTarget(destinationType, after),
    )
  return { destination: JSON.stringify(after), ...(secret !== null && { secret: encrypt(secret) }) }
}

/** Deletes its runs, and their files soon after. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  await removeFilesOf(context, id)
  const { numDeletedRows } = await db
    .deleteFrom('exports')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Export')
}

/** Rejects a forbidden server; resolves names, so it runs before any statement. */
export async function checkTarget(
  { outbound }: ExternalIo,
  {
    destinationType,
    destination,
  }: { destinationType?: DestinationType | undefined; destination?: Given | null | undefined },
) {
  const { host, endpoint, port } = destination ?? {}
  try {
    if (host) await outbound.checkHost(host, Number(port) || (destinationType === 'SFTP' ? 22 : 21))
    if (endpoint) await outbound.check(endpoint)
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    // Unresolvable names are checked again at every delivery.
    if (error.kind === 'refused-address') throw invalid(`destination is not accepted. ${error.message}`)
  }
}

/** Null if the destination needs none, or none is given. */
function givenSecret(type: DestinationType, given: Given): string | null {
  const name = secretNames[type]
  const secret = name === undefined ? undefined : given[name]
  if (secret === undefined || secret === '' || secret === mask) return null
  if (secret.length > 4000) throw invalid(`destination[${name}] must be at most 4000 characters long.`)
  return secret
}

function requireSecret(type: DestinationType, given: Given): string | null {
  const secret = givenSecret(type, given)
  if (secret === null && secretNames[type] !== undefined)
    throw invalid(`destination[${secretNames[type]}] must not be empty.`)
  return secret
}

type WithFile = ExportRow & { lastRunFile: string }

/** A file contains data of the whole account, independent of teams: its URL is for admins. */
async function withFile(context: Context, row: ExportRow): Promise<WithFile> {
  const run = may(context.role, 'administer') ? row.lastRunId : null
  return { ...row, lastRunFile: run === null ? '' : await fileUrl(context, run) }
}

/** With the secret masked. */
function maskedOf({ destination, destinationType }: ExportRow) {
  const name = secretNames[destinationType]
  return { ...destination, ...(name && { [name]: mask }) }
}

const contractView = <Row extends ExportRow>(row: Row) => ({
  ...row,
  destination: maskedOf(row),
  frequency: frequencyText(row),
  timeRange: timeRangeText(row.timeRange),
  lastRunDate: row.lastRun,
})

const editableView = <Row extends ExportRow>(row: Row) => ({
  ...row,
  destination: maskedOf(row),
  frequencyText: frequencyText(row),
  timeRangeText: timeRangeText(row.timeRange),
  nextRunDate: row.nextRun,
  lastRunDate: row.lastRun,
})
