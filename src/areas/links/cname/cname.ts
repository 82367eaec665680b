import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { settingChanged } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { conflict, invalid, missing, Refusal } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import type { NameFacts } from '#kernel/outbound/addresses.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { linkIds, linkQuotas } from '../declarations.ts'
import { hostChanged } from '../link/link.ts'
import { hostsOf } from '../link/link-url.ts'

export const search = ({ db, accountId }: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(db, db.selectFrom('cnames').selectAll().where('accountId', '=', accountId), page, { size: 500 })

/** The normalized domain, if DNS says that it points here. */
export async function pointingDomain(io: ExternalIo, { cname }: { cname: string }): Promise<string> {
  const name = readDomain(cname)
  if (hostsOf([io.publicUrl, io.shortUrl]).has(name))
    throw invalid(`${name} is this service's own host; choose a domain of yours, such as go.example.com.`)
  const problem = await pointingProblem(io, name)
  if (problem) throw invalid(problem)
  return name
}

export async function create(context: Context, _asked: unknown, name: string) {
  const { db, accountId, userId, now } = context
  const id = newId(linkIds.cname, now)
  await reserveQuota(context, linkQuotas.cnames, db.selectFrom('cnames').where('accountId', '=', accountId))
  const row = { accountId, id, created: now, modified: now, createdBy: userId, name, checked: now }
  const made = await db
    .insertInto('cnames')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error) => refuseDuplicate(error, name))
  await bindOrRefuse(context, made)
  context.notifyChange(settingChanged)
  return made
}

/** Replaces the domain, or checks the same one again. */
export async function update(context: Context, { id }: { id: string }, name: string) {
  const { db, accountId, now } = context
  const before = await lockCname(context, id)
  const made = await db
    .updateTable('cnames')
    .set({ name, modified: now, checked: now, problem: '' })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error) => refuseDuplicate(error, name))
  if (before.name !== name) await unbind(context, before)
  await bindOrRefuse(context, made)
  context.notifyChange(settingChanged)
  return made
}

/** Links under the domain stop working; new ones use the service's own host. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const cname = await lockCname(context, id)
  await unbind(context, cname)
  await db
    .updateTable('linkSettings')
    .set({ cnameId: null })
    .where('accountId', '=', accountId)
    .where('cnameId', '=', id)
    .execute()
  await db.deleteFrom('cnames').where('accountId', '=', accountId).where('id', '=', id).execute()
  context.notifyChange(settingChanged)
}

async function lockCname({ db, accountId }: Context, id: string) {
  const cname = await db
    .selectFrom('cnames')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .modifyEnd(lockRows('cnames', 'update'))
    .executeTakeFirst()
  if (!cname) throw missing('Cname')
  return cname
}

function refuseDuplicate(error: unknown, name: string): never {
  if (isDuplicate(error, 'cnames_by_name')) throw conflict(`The account has ${name} already.`)
  throw error
}

const maximumLength = 253

/** Normalizes a domain: lowercase, punycode; rejects invalid ones with the reason. */
function readDomain(text: string): string {
  const given = text.trim().replace(/\.$/, '')
  if (/[/?#@\\]|:/.test(given))
    throw invalid('cname must be a domain alone, such as go.example.com: without https://, port or path.')
  if (isIP(given) > 0) throw invalid('cname must be a domain such as go.example.com, not an IP address.')
  const name = domainToASCII(given).toLowerCase()
  const labels = name.split('.')
  if (
    name.length > maximumLength ||
    !labels.every(isLabel) ||
    labels.length < 2 ||
    /^[\d.]+$/.test(name) ||
    isIP(name) > 0
  )
    throw invalid(
      'cname must be a domain with at least two parts, such as go.example.com; each part has up to 63 letters, digits and dashes.',
    )
  return name
}

const isLabel = (label: string) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label)

export interface Domain {
  id: string
  name: string
}

/** Serves short links under the domain from now on; false if another account has it. */
export async function bind(context: Context, { id: cname, name: host }: Domain): Promise<boolean> {
  const { db, accountId: account } = context
  const row = await db
    .insertInto('shortHosts')
    .values({ host, account, cname })
    .onConflict((on) => on.column('host').doUpdateSet({ cname }).where('shortHosts.account', '=', account))
    .returning('host')
    .executeTakeFirst()
  if (row) await hostChanged(context, host)
  return row !== undefined
}

async function bindOrRefuse(context: Context, domain: Domain) {
  if (!(await bind(context, domain)))
    throw conflict(`${domain.name} is in use by another account of this service; it has to be removed there first.`)
}

/** Stops serving the domain. Returns whether it was served. */
export async function unbind(context: Context, { id, name }: Domain): Promise<boolean> {
  const { db, accountId } = context
  const { numDeletedRows } = await db
    .deleteFrom('shortHosts')
    .where('host', '=', name)
    .where('account', '=', accountId)
    .where('cname', '=', id)
    .executeTakeFirst()
  if (numDeletedRows > 0n) await hostChanged(context, name)
  return numDeletedRows > 0n
}

interface DnsOptions {
  outbound: Outbound
  /** Base URL of short links. */
  shortUrl: string
}

/** Why the domain doesn't point here, as a sentence; undefined if it does. Throws if DNS fails. */
export async function pointingProblem({ outbound, shortUrl }: DnsOptions, domain: string): Promise<string | undefined> {
  const host = new URL(shortUrl).hostname
  if (host === 'localhost' || isIP(host.replace(/^\[|\]$/g, '')) > 0)
    return `Short links of this installation start with ${shortUrl}, and no domain can point at ${host}. Its operator has to give them a host with a name first (CHORUS_SHORT_URL).`
  const facts = await lookUp(outbound, domain)
  if (facts.aliases.includes(host)) return undefined
  return `${domain} must have a CNAME record that points at ${host}; ${foundInstead(facts)} Correct it where the domain is managed; it may take a while until everybody sees the change.`
}

/** Public names only, no IP addresses: our resolver may know internal ones. */
function foundInstead({ aliases, exists, isInternal }: NameFacts): string {
  if (isInternal) return nothingFound
  if (aliases.length > 0) return `it points at ${aliases.join(', then at ')}.`
  return exists ? 'it has none.' : nothingFound
}

const nothingFound = 'no record was found.'

async function lookUp(outbound: Outbound, domain: string) {
  try {
    return await outbound.aliasesOf(domain)
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const sentence = `${error.message} Nothing was changed; try again in a minute.`
    throw new Refusal('unavailable', sentence, { retryAfter: 60, cause: error })
  }
}
