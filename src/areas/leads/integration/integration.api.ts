import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { json } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { leadIds } from '../declarations.ts'
import * as integrations from './integration.ts'
import { note, perform } from './integration.ts'
import { keepSettings, tryOut } from './integration-settings.ts'
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
    summary: 'List integrations with systems of others',
    needs: 'read',
    params: listParams(
      { type: type.optional() },
      { count: oneOf(25, 50, 100), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(Integration),
    run: integrations.search,
  }),
  endpoint('GET /integration/{id}', {
    summary: 'Get an integration, with the profiles and boards it may work with if asked for',
    needs: 'read',
    params: id.extend({ withAssets: params.flag.optional() }),
    reply: item('Integration', Integration),
    run: integrations.get,
  }),
  endpoint('POST /integration', {
    summary: 'Create an integration; it is valid once its settings are given in the console',
    needs: 'administer',
    params: integrationDraft,
    reply: item('Integration', Integration),
    run: integrations.create,
  }),
  endpoint('POST /integration/{id}', {
    summary: 'Switch an integration on or off, or give it a domain',
    needs: 'administer',
    params: integrationChanges,
    reply: item('Integration', Integration),
    run: integrations.update,
  }),
  endpoint('DELETE /integration/{id}', {
    summary: 'Delete an integration; the other system keeps what it has',
    needs: 'administer',
    params: id,
    reply: done,
    run: integrations.remove,
  }),
  endpoint('POST /integration-action', {
    operationId: 'runIntegrationAction',
    summary: 'Ask the system behind an integration for something; its errors are a list of sentences',
    needs: 'contribute',
    params: integrationAction,
    reply: item('IntegrationAction', json),
    before: perform,
    run: note,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /integration-types', {
    summary: 'List the types of systems that can be talked to, with what has to be known for it',
    needs: 'read',
    params: z.object({}),
    reply: list(IntegrationType),
    run: integrations.types,
  }),
  appEndpoint('GET /integration/{id}', {
    summary: 'Get an integration, and why it is not valid',
    needs: 'read',
    params: id,
    reply: item('Integration', IntegrationWithReason),
    run: integrations.get,
  }),
  appEndpoint('PUT /integration/{id}/settings', {
    summary: 'Say how the other system is reached and by what it lets us in; that is tried out at once',
    needs: 'administer',
    params: integrationSettings,
    reply: item('Integration', IntegrationWithReason),
    before: tryOut,
    run: keepSettings,
  }),
]
