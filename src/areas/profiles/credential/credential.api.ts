import { z } from 'zod'
import { missing } from '#kernel/errors.ts'
import type { Download, DownloadRoute } from '#kernel/http/route/download-route.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Pictures } from '#kernel/pictures.ts'
import { everything, listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { networkNames, networkSpellings } from '#networks/manifests.ts'
import { profileIds, profileKey } from '../declarations.ts'
import * as credentials from './credential.ts'
import { Credential, credentialChanges, presetChanges, presetDraft, TargetingPreset } from './credential-shape.ts'
import * as presets from './targeting-preset.ts'

const id = z.object({ id: params.pathId(profileKey) })
const presetId = z.object({ id: params.pathId(profileIds.targetingPreset) })

export const endpoints = [
  endpoint('GET /credential/{id}', {
    summary: 'Get a social profile',
    needs: 'read',
    params: id,
    reply: item('Credential', Credential),
    run: credentials.get,
  }),
  endpoint('GET /credential', {
    summary: 'List social profiles',
    needs: 'read',
    params: listParams(
      { network: params.word(networkNames, networkSpellings).optional(), includeInvalid: params.flag.optional() },
      { count: everything, order: sortBy({ created: 'date', name: 'text' }, 'created,0') },
    ),
    reply: list(Credential),
    run: credentials.search,
  }),
  endpoint('PUT /credential/{id}', {
    summary: 'Update the display settings of a social profile',
    needs: 'contribute',
    params: credentialChanges,
    reply: item('Credential', Credential),
    run: credentials.update,
  }),
  endpoint('DELETE /credential/{id}', {
    summary: 'Delete a social profile and the posts scheduled for it',
    needs: 'administer',
    params: id,
    reply: done,
    run: credentials.remove,
  }),
  endpoint('GET /credential/{id}/targeting-presets', {
    summary: 'List the targeting presets of a LinkedIn company page',
    needs: 'read',
    params: listParams(id.shape, {
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
    params: presetId,
    reply: done,
    run: presets.remove,
  }),
]

export const profilePicture: Download = {
  operationId: 'getProfilePicture',
  path: '/picture/profile/{id}',
  summary: 'Get the picture of a social profile through the service',
  needs: 'read',
  params: id,
  type: 'image/webp',
}

const day = 24 * 60 * 60
/** Twice the displayed size, for high-density screens. */
const width = 96

export const pictureRoute = ({ database }: Pick<Installation, 'database'>, pictures: Pictures): DownloadRoute => ({
  ...profilePicture,
  async open({ accountId }, { id: profileId }: z.output<typeof id>) {
    const profile = await database
      .forAccount(accountId)
      .selectFrom('credentials')
      .select('imageLink')
      .where('accountId', '=', accountId)
      .where('id', '=', profileId)
      .where('deleted', 'is', null)
      .executeTakeFirst()
    if (!profile?.imageLink) throw missing('Picture')
    const { imageLink: key } = profile
    const body = await pictures.get({ accountId, key, open: pictures.from(key) }, { width })
    if (!body) throw missing('Picture')
    return { body, keepSeconds: day }
  },
})
