import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { profileIds, profileKey } from '../declarations.ts'
import * as presets from './targeting-preset.ts'
import { presetChanges, presetDraft, TargetingPreset } from './targeting-preset-shape.ts'

const id = z.object({ id: params.pathId(profileIds.targetingPreset) })
const profileId = z.object({ id: params.pathId(profileKey) })

export const endpoints = [
  endpoint('GET /credential/{id}/targeting-presets', {
    summary: 'List the targeting presets of a LinkedIn company page',
    needs: 'read',
    params: listParams(profileId.shape, {
      count: upTo(100, 25),
      order: sortBy({ created: 'date', name: 'text' }, 'created,0'),
    }),
    reply: list(TargetingPreset),
    run: presets.search,
  }),
]

export const appEndpoints = [
  appEndpoint('POST /credential/{id}/targeting-presets', {
    operationId: 'createCredentialTargetingPreset',
    summary: 'Create a targeting preset for a LinkedIn company page',
    needs: 'contribute',
    params: presetDraft,
    reply: item('TargetingPreset', TargetingPreset),
    run: presets.create,
  }),
  appEndpoint('PUT /targeting-preset/{id}', {
    summary: 'Update a targeting preset',
    needs: 'contribute',
    params: presetChanges,
    reply: item('TargetingPreset', TargetingPreset),
    run: presets.update,
  }),
  appEndpoint('DELETE /targeting-preset/{id}', {
    summary: 'Delete a targeting preset',
    needs: 'contribute',
    params: id,
    reply: done,
    run: presets.remove,
  }),
]
