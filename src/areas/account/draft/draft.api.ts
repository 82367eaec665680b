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
    summary: 'List what one has written and not sent yet',
    needs: 'read',
    params: listParams({ kind }, { count: upTo(100, 100), order: sortBy({ modified: 'date' }, 'modified,0') }),
    reply: list(DraftAbout),
    run: drafts.list,
  }),
  appEndpoint('GET /draft/{id}', {
    summary: 'Get what one has written under this id',
    needs: 'read',
    params: id,
    reply: item('Draft', Draft),
    run: drafts.get,
  }),
  appEndpoint('PUT /draft/{id}', {
    summary: 'Keep what one is writing, under an id of one’s own choosing',
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
    summary: 'Remove what one has written under this id',
    needs: 'contribute',
    untold: true,
    params: id,
    reply: done,
    run: drafts.remove,
  }),
]
