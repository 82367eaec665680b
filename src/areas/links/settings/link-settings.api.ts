import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import * as settings from './link-settings.ts'
import {
  CampaignLinkSettings,
  campaignLinkSettingsChanges,
  LinkSettings,
  linkSettingsChanges,
} from './link-settings-shape.ts'

const id = z.object({ id: params.pathId(scopeIds.campaign) })

export const endpoints = [
  appEndpoint('GET /link-settings', {
    summary: 'Get the account’s settings for new short links',
    needs: 'read',
    params: z.object({}),
    reply: item('LinkSettings', LinkSettings),
    run: settings.get,
  }),
  appEndpoint('POST /link-settings', {
    operationId: 'updateLinkSettings',
    summary: 'Update the account’s settings for new short links',
    needs: 'administer',
    params: linkSettingsChanges,
    reply: item('LinkSettings', LinkSettings),
    run: settings.update,
  }),
  appEndpoint('GET /campaign/{id}/link-settings', {
    summary: 'Get a campaign’s overrides of the short link settings',
    needs: 'read',
    params: id,
    reply: item('LinkSettings', CampaignLinkSettings),
    run: settings.getOfCampaign,
  }),
  appEndpoint('POST /campaign/{id}/link-settings', {
    operationId: 'updateCampaignLinkSettings',
    summary: 'Update a campaign’s overrides of the short link settings',
    needs: 'approve',
    params: campaignLinkSettingsChanges,
    reply: item('LinkSettings', CampaignLinkSettings),
    run: settings.updateOfCampaign,
  }),
]
