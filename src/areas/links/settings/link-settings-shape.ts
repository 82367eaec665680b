import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { flag, nullableText, shape, text } from '#kernel/wire/fields.ts'
import { elements, listSchema, param, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { linkIds } from '../declarations.ts'

const utmNames = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const
export type UtmName = (typeof utmNames)[number]

/** Null for inherited settings; empty to omit the parameter. */
const utm = {
  UtmSource: nullableText,
  UtmMedium: nullableText,
  UtmCampaign: nullableText,
  UtmTerm: nullableText,
  UtmContent: nullableText,
}
export const CampaignLinkSettings = shape('CampaignLinkSettings', utm)
export const LinkSettings = shape('LinkSettings', {
  ...utm,
  CnameId: nullableText,
  RespectsDoNotTrack: flag,
  ClickParameter: text,
  /** Base URL of new short links. */
  ShortUrl: text,
})

const value = params.line({ min: 0 }).optional()
const inherit = param<UtmName[], readonly UtmName[]>(listSchema({ type: 'string', enum: utmNames }), (raw) => {
  const items = elements(raw)
    .map((item) => scalar(item).trim())
    .filter(Boolean)
  return items.map((item) => {
    const known = utmNames.find((name) => name.toLowerCase() === item.toLowerCase())
    return known ?? refuse(`must be any of ${utmNames.join(', ')}`)
  })
})
const utmParams = z.object({
  utmSource: value,
  utmMedium: value,
  utmCampaign: value,
  utmTerm: value,
  utmContent: value,
  inherit: inherit.optional(),
})
const parameterName = param({ type: 'string', maxLength: 40 }, (raw) => {
  const name = scalar(raw).trim()
  return /^[\w.-]{0,40}$/.test(name)
    ? name
    : refuse('must be the name of a parameter: up to 40 letters, digits, dots, dashes and underscores')
})

/** Writable columns, except the names of inherited ones. */
export const linkSettingsChanges = utmParams.extend({
  cnameId: params.idOf(linkIds.cname, { min: 0 }).optional(),
  respectsDoNotTrack: params.flag.optional(),
  clickParameter: parameterName.optional(),
})
export const campaignLinkSettingsChanges = utmParams.extend({ id: params.pathId(scopeIds.campaign) })
export type LinkSettingsChanges = z.output<typeof linkSettingsChanges>
export type CampaignLinkSettingsChanges = z.output<typeof campaignLinkSettingsChanges>
