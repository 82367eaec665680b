import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import * as responses from './canned-response.ts'
import { CannedResponse, cannedResponseChanges, cannedResponseDraft } from './canned-response-shape.ts'

const id = z.object({ id: params.pathId(inboxIds.cannedResponse) })

export const endpoints = [
  endpoint('GET /canned-response', {
    summary: 'List shared canned responses and private ones of the caller',
    needs: 'read',
    params: listParams(
      { q: params.line({ min: 0 }).optional() },
      { count: oneOf(25, 50, 100), order: sortBy({ created: 'date', name: 'text' }, 'created,0') },
    ),
    reply: list(CannedResponse),
    run: responses.search,
  }),
  endpoint('GET /canned-response/{id}', {
    summary: 'Get a canned response',
    needs: 'read',
    params: id,
    reply: item('CannedResponse', CannedResponse),
    run: responses.get,
  }),
  endpoint('POST /canned-response', {
    summary: 'Create a canned response',
    needs: 'contribute',
    params: cannedResponseDraft,
    reply: item('CannedResponse', CannedResponse),
    run: responses.create,
  }),
]

export const appEndpoints = [
  appEndpoint('PUT /canned-response/{id}', {
    summary: 'Update a canned response',
    needs: 'contribute',
    params: cannedResponseChanges,
    reply: item('CannedResponse', CannedResponse),
    run: responses.update,
  }),
  appEndpoint('DELETE /canned-response/{id}', {
    summary: 'Delete a canned response',
    needs: 'contribute',
    params: id,
    reply: done,
    run: responses.remove,
  }),
]
