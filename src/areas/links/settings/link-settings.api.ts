import { z } from 'zod'
import { appEndpoint } from '#kernel/http/endpoint.ts'
import { flag, nullableText, shape, text } from '#kernel/wire/fields.ts'
import { param, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import * as settings from './link-settings.ts'

/** Null where the next wider settings decide; empty where the parameter is left out. */
const utm = {
  UtmSource: nullableText,
  UtmMedium: nullableText,
  UtmCampaign: nullableText,
  UtmTerm: nullableText,
  UtmContent: nullableText,
}
const CampaignLinkSettings = shape('CampaignLinkSettings', utm)
const LinkSettings = shape('LinkSettings', {
  ...utm,
  CnameId: nullableText,
  RespectsDoNotTrack: flag,
  ClickParameter: text,
})

const id = z.object({ id: params.pathId('campaign') })
const value = params.line({ min: 0 }).optional()
const inherit = param({ type: 'string', description: `Any of ${settings.utmNames.join(', ')}.` }, (raw) => {
  const words = (Array.isArray(raw) ? raw : scalar(raw).split(',')).map((word) => scalar(word).trim()).filter(Boolean)
  return words.map((word) => {
    const known = settings.utmNames.find((name) => name.toLowerCase() === word.toLowerCase())
    return known ?? refuse(`must be any of ${settings.utmNames.join(', ')}`)
  })
})
const utmParams = z.object({
  ...{ utmSource: value, utmMedium: value, utmCampaign: value, utmTerm: value, utmContent: value },
  inherit: inherit.optional(),
})
const parameterName = param({ type: 'string', maxLength: 40 }, (raw) => {
  const name = scalar(raw).trim()
  return /^[\w.-]{0,40}$/.test(name)
    ? name
    : refuse('must be the name of a parameter: up to 40 letters, digits, dots, dashes and underscores')
})

export const endpoints = [
  appEndpoint('GET /link-settings', {
    summary: 'Get what new short links of the account are made with',
    needs: 'read',
    params: z.object({}),
    reply: item('LinkSettings', LinkSettings),
    run: settings.get,
  }),
  appEndpoint('POST /link-settings', {
    summary: 'Change what new short links of the account are made with',
    needs: 'administer',
    params: utmParams.extend({
      cnameId: params.idOf('cname', { min: 0 }).optional(),
      respectsDoNotTrack: params.flag.optional(),
      clickParameter: parameterName.optional(),
    }),
    reply: item('LinkSettings', LinkSettings),
    run: settings.update,
  }),
  appEndpoint('GET /campaign/{id}/link-settings', {
    summary: 'Get what new short links of a campaign are made with, where it differs from the account',
    needs: 'read',
    params: id,
    reply: item('LinkSettings', CampaignLinkSettings),
    run: settings.getOfCampaign,
  }),
  appEndpoint('POST /campaign/{id}/link-settings', {
    summary: 'Change what new short links of a campaign are made with',
    needs: 'approve',
    params: utmParams.extend({ id: params.pathId('campaign') }),
    reply: item('LinkSettings', CampaignLinkSettings),
    run: settings.updateOfCampaign,
  }),
]
