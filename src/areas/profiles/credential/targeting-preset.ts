import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { audienceProblem, noAudiences } from '#networks/content/content-check.ts'
import { profileIds, profileQuotas } from '../declarations.ts'
import * as credentials from './credential.ts'
import type { PresetChanges, PresetDraft } from './credential-shape.ts'

export async function search(context: Context, { id, page }: { id: string; page: Page }) {
  await requireCompanyPage(context, id)
  return paginate(visible(context).where('credentialId', '=', id), page)
}

export async function create(context: Context, { id: credentialId, ...draft }: PresetDraft) {
  const { db, accountId, now } = context
  await requireCompanyPage(context, credentialId)
  checkAudience(draft)
  await reserveQuota(context, profileQuotas.targetingPresets, visible(context))
  const made = { accountId, id: newId(profileIds.targetingPreset, now), created: now, modified: now, credentialId }
  const row = { ...made, ...untargeted, ...draft }
  return db.insertInto('targetingPresets').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function update(context: Context, { id, ...changes }: PresetChanges) {
  const { db, accountId, now } = context
  checkAudience(changes)
  const preset = await db
    .updateTable('targetingPresets')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!preset) throw missing('Targeting preset')
  return preset
}

export async function remove({ db, accountId }: Context, { id }: { id: string }) {
  const { numDeletedRows } = await db
    .deleteFrom('targetingPresets')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Targeting preset')
}

/** No targeting; the columns have no defaults. */
const untargeted: Required<Facets> = {
  companySize: [],
  industry: [],
  function: [],
  seniority: [],
  geography: [],
  language: [],
}

async function requireCompanyPage(context: Context, id: string) {
  const { network, kind } = await credentials.get(context, { id })
  if (network !== 'LinkedIn' || kind !== 'page') throw invalid(noAudiences)
}

type Facets = Omit<PresetChanges, 'id' | 'name'>

function checkAudience(facets: Facets) {
  const problem = audienceProblem('LinkedIn', {
    CompanySize: facets.companySize,
    Industry: facets.industry,
    Function: facets.function,
    Seniority: facets.seniority,
    Geography: facets.geography,
    Language: facets.language,
  })
  if (problem) throw invalid(problem)
}

const visible = ({ db, accountId }: Context) =>
  db.selectFrom('targetingPresets').selectAll().where('accountId', '=', accountId)
