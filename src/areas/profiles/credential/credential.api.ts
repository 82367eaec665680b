import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { networkNames, networkSpellings } from '#networks/manifests.ts'
import { profileKey } from '../declarations.ts'
import * as credentials from './credential.ts'
import { Credential, credentialChanges } from './credential-shape.ts'

const id = z.object({ id: params.pathId(profileKey) })

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
]
