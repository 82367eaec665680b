import { settingChanged } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { refuseKeptSecret } from '#kernel/secrets/keyring.ts'
import { CrmFault, type CrmType, type Facts } from '../crm/crm.ts'
import { crmTypeOf, missingOf } from '../crm/crms.ts'
import { connectionOf, holdIntegration, requireIntegration, sealSecret, shown } from './integration.ts'
import type { IntegrationSettings } from './integration-shape.ts'

/** New settings, and whether the external system accepts them. */
interface TestedSettings {
  version: number
  settings: Facts
  secret: Facts
  reason: string
}

/** Checks new settings with the external system, before the transaction. */
export async function testSettings(
  { step, outbound }: ExternalIo,
  { id, ...given }: IntegrationSettings,
): Promise<TestedSettings> {
  const { integration, known } = await step(async (context) => {
    const integration = await requireIntegration(context, id)
    return { integration, known: connectionOf(context.keyring, integration) }
  })
  const type = crmTypeOf(integration.type)
  if (!type) throw invalid(`An integration of the type ${integration.type} has no settings.`)
  const { settings, secret } = mergedSettings(type, known, given)
  const { version } = integration
  const missing = missingOf(type, { ...settings, ...secret })
  if (missing.length > 0) return { version, settings, secret, reason: `It still needs ${missing.join(', ')}.` }
  await outbound.check(settings.baseUrl ?? '').catch((error) => {
    if (!(error instanceof OutboundFailure)) throw error
    if (error.kind === 'refused-address') throw invalid(`baseUrl is not accepted. ${error.message}`)
  })
  try {
    const facts = await type.open({ outbound, key: `${id}/trial/${Math.random()}`, settings, secret }).check()
    return { version, settings: { ...settings, ...facts }, secret, reason: '' }
  } catch (error) {
    if (!(error instanceof CrmFault)) throw error
    return { version, settings, secret, reason: error.message }
  }
}

/** Stores checked settings; valid only if accepted. */
export async function storeSettings(
  context: Context,
  { id }: IntegrationSettings,
  { settings, secret, version, reason }: TestedSettings,
) {
  const { db, accountId, now, keyring } = context
  const integration = await holdIntegration(context, id)
  if (integration.version !== version)
    throw conflict('The settings were changed by somebody else at the same moment. Try again.')
  const changed = await db
    .updateTable('integrations')
    .set({
      settingsData: JSON.stringify(settings),
      secret: sealSecret(keyring, { accountId, id }, secret),
      status: reason === '' ? 'valid' : 'invalid',
      statusReason: reason,
      version: version + 1,
      modified: now,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  context.notifyChange(settingChanged)
  return shown(changed)
}

type Given = Omit<IntegrationSettings, 'id'>

function mergedSettings(
  { settings: names, secrets }: CrmType,
  known: { settings: Facts; secret: Facts },
  values: Given,
) {
  const given = (requested: readonly string[]): Facts =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        requested.includes(name) && value !== undefined ? [[name, value]] : [],
      ),
    )
  const merged = { ...known.settings, ...given(names) }
  const settings: Facts = { ...merged, baseUrl: readBase(merged.baseUrl ?? '') }
  for (const name of ['apiVersion', 'caseKey', 'pipeline', 'stage'])
    if (!/^[\w.-]{0,80}$/.test(settings[name] ?? '')) throw invalid(`${name} must consist of letters, digits, _ and -.`)
  const secret = given(secrets)
  for (const name of Object.keys(known.secret))
    if (secret[name] === undefined) refuseKeptSecret(name, targetOf(known.settings), targetOf(settings))
  const all = Object.entries({ ...known.secret, ...secret })
  return { settings, secret: Object.fromEntries(all.filter(([, value]) => value !== '')) }
}

const targetOf = ({ baseUrl = '', clientId = '' }: Facts) => ({ baseUrl, clientId })

function readBase(text: string): string {
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw invalid(
      'baseUrl must be an http or https address without a query, such as https://example.my.salesforce.com.',
    )
  return url.href.replace(/\/$/, '')
}
