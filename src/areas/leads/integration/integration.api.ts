import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { json } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { leadIds } from '../declarations.ts'
import * as integrations from './integration.ts'
import { linkRecord, runAction } from './integration.ts'
import { storeSettings, testSettings } from './integration-settings.ts'
import {
  Integration,
  IntegrationType,
  IntegrationWithReason,
  integrationAction,
  integrationChanges,
  integrationDraft,
  integrationSettings,
  type,
} from './integration-shape.ts'

const id = z.object({ id: params.pathId(leadIds.integration) })

export const endpoints = [
  endpoint('GET /integration', {
    summary: 'List integrations with external systems',
    needs: 'read',
    params: listParams(
      { type: type.optional() },
      { count: oneOf(25, 50, 100), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(Integration),
    run: integrations.search,
  }),
  endpoint('GET /integration/{id}', {
    summary: 'Get an integration, optionally with its profiles and boards',
    needs: 'read',
    params: id.extend({ withAssets: params.flag.optional() }),
    reply: item('Integration', Integration),
    run: integrations.get,
  }),
  endpoint('POST /integration', {
    summary: 'Create an integration; it becomes valid with its settings in the console',
    needs: 'administer',
    params: integrationDraft,
    reply: item('Integration', Integration),
    run: integrations.create,
  }),
  endpoint('POST /integration/{id}', {
    summary: 'Enable or disable an integration, or set its domain',
    needs: 'administer',
    params: integrationChanges,
    reply: item('Integration', Integration),
    run: integrations.update,
  }),
  endpoint('DELETE /integration/{id}', {
    summary: 'Delete an integration; the external system keeps its data',
    needs: 'administer',
    params: id,
    reply: done,
    run: integrations.remove,
  }),
  endpoint('POST /integration-action', {
    operationId: 'runIntegrationAction',
    summary: 'Run an action in the external system of an integration; its errors are a list of messages',
    needs: 'contribute',
    params: integrationAction,
    reply: item('IntegrationAction', json),
    before: runAction,
    run: linkRecord,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /integration-types', {
    summary: 'List integration types with their settings',
    needs: 'read',
    params: z.object({}),
    reply: list(IntegrationType),
    run: integrations.types,
  }),
  appEndpoint('GET /integration/{id}', {
    summary: 'Get an integration with its status reason',
    needs: 'read',
    params: id,
    reply: item('Integration', IntegrationWithReason),
    run: integrations.get,
  }),
  appEndpoint('PUT /integration/{id}/settings', {
    summary: 'Update the connection settings and secrets of an integration, and test them',
    needs: 'administer',
    params: integrationSettings,
    reply: item('Integration', IntegrationWithReason),
    before: testSettings,
    run: storeSettings,
  }),
]
