import type { Selectable } from 'kysely'
import { settingChanged } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import type { LinkSettings } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { allLinksChanged } from '../link/link.ts'
import type { CampaignLinkSettingsChanges, LinkSettingsChanges, UtmName } from './link-settings-shape.ts'

type Settings = Omit<Selectable<LinkSettings>, 'accountId' | 'campaignId' | 'modified'>

const inherited: Record<UtmName, null> = {
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  utmTerm: null,
  utmContent: null,
}
const defaults: Settings = { ...inherited, cnameId: null, respectsDoNotTrack: true, clickParameter: '' }

export async function get(context: Context) {
  return withShortUrl(context, (await read(context, '')) ?? defaults)
}

export async function getOfCampaign(context: Context, { id }: { id: string }): Promise<Settings> {
  await requireCampaign(context, id)
  return (await read(context, id)) ?? defaults
}

/** Existing links keep their settings. */
export async function update(context: Context, { cnameId, ...changes }: LinkSettingsChanges) {
  if (cnameId) await requireCname(context, cnameId)
  const settings = await write(context, '', {
    ...given(changes),
    // Empty: the service's own host.
    ...(cnameId !== undefined && { cnameId: cnameId || null }),
  })
  await allLinksChanged(context)
  context.notifyChange(settingChanged)
  return withShortUrl(context, settings)
}

export async function updateOfCampaign(context: Context, { id, ...changes }: CampaignLinkSettingsChanges) {
  await requireCampaign(context, id)
  return write(context, id, given(changes))
}

/** `inherit` resets settings to inherited ones. */
function given({ inherit = [], ...changes }: Omit<LinkSettingsChanges, 'cnameId'>): Partial<Settings> {
  const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const both = inherit.find((name) => name in set)
  if (both) throw invalid(`inherit names ${both}, which is given a value as well; leave one of them out.`)
  return { ...set, ...Object.fromEntries(inherit.map((name) => [name, null])) }
}

/** With the base URL of new short links: the account's own domain, or the service's host. */
async function withShortUrl(context: Context, settings: Settings) {
  const { db, accountId, shortUrl } = context
  const cname = settings.cnameId
    ? await db
        .selectFrom('cnames')
        .select('name')
        .where('accountId', '=', accountId)
        .where('id', '=', settings.cnameId)
        .executeTakeFirst()
    : undefined
  return { ...settings, shortUrl: cname ? `https://${cname.name}` : shortUrl }
}

const read = ({ db, accountId }: Context, campaignId: string) =>
  db
    .selectFrom('linkSettings')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .executeTakeFirst()

const write = ({ db, accountId, now }: Context, campaignId: string, changes: Partial<Settings>) =>
  db
    .insertInto('linkSettings')
    .values({ accountId, campaignId, modified: now, ...defaults, ...changes })
    .onConflict((on) => on.columns(['accountId', 'campaignId']).doUpdateSet({ modified: now, ...changes }))
    .returningAll()
    .executeTakeFirstOrThrow()

async function requireCampaign(context: Context, id: string) {
  const campaign = await context.db
    .selectFrom('campaigns')
    .select('id')
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .where(withinTeams(context, 'campaigns.id'))
    .executeTakeFirst()
  if (!campaign) throw missing('Campaign')
}

async function requireCname({ db, accountId }: Context, id: string) {
  const cname = await db
    .selectFrom('cnames')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!cname) throw invalid(`cnameId names no CNAME record: "${id.slice(0, 40)}".`)
}
