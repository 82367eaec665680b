import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { draftKey } from '../declarations.ts'
import * as drafts from './draft.ts'
import { Draft, DraftAbout, draftKinds } from './draft-shape.ts'

const id = z.object({ id: params.pathId(draftKey) })
const kind = params.choice(draftKinds).optional()

export const endpoints = [
  appEndpoint('GET /draft', {
    summary: 'List the caller’s drafts',
    needs: 'read',
    params: listParams({ kind }, { count: upTo(100, 100), order: sortBy({ modified: 'date' }, 'modified,0') }),
    reply: list(DraftAbout),
    run: drafts.list,
  }),
  appEndpoint('GET /draft/{id}', {
    summary: 'Get a draft of the caller',
    needs: 'read',
    params: id,
    reply: item('Draft', Draft),
    run: drafts.get,
  }),
  appEndpoint('PUT /draft/{id}', {
    summary: 'Save a draft under an id chosen by the caller',
    needs: 'contribute',
    untold: true,
    params: id.extend({
      kind,
      title: params.line({ min: 0, max: 200 }).optional(),
      content: params.verbatim({ max: 200_000 }),
      version: params.count(0, 2_000_000_000).optional(),
    }),
    reply: item('Draft', DraftAbout),
    run: drafts.save,
  }),
  appEndpoint('DELETE /draft/{id}', {
    summary: 'Delete a draft of the caller',
    needs: 'contribute',
    untold: true,
    params: id,
    reply: done,
    run: drafts.remove,
  }),
]
