import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, integer, shape, text } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { draftKey } from './declarations.ts'
import * as drafts from './draft.ts'

const about = {
  Id: text,
  Kind: choice(drafts.kinds),
  Title: text,
  Created: datetime,
  Modified: datetime,
  Version: integer,
}

/** Without the content, for lists. */
const DraftSummary = shape('DraftAbout', about)

const Draft = shape('Draft', { ...about, Content: text })

const id = z.object({ id: params.pathId(draftKey) })
const kind = params.choice(drafts.kinds).optional()

export const endpoints = [
  appEndpoint('GET /draft', {
    summary: 'List the caller’s drafts',
    needs: 'read',
    params: listParams({ kind }, { count: upTo(100, 100), order: sortBy({ modified: 'date' }, 'modified,0') }),
    reply: list(DraftSummary),
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
    unaudited: true,
    params: id.extend({
      kind,
      title: params.line({ min: 0, max: 200 }).optional(),
      content: params.verbatim({ max: 200_000 }),
      version: params.count(0, 2_000_000_000).optional(),
    }),
    reply: item('Draft', DraftSummary),
    run: drafts.save,
  }),
  appEndpoint('DELETE /draft/{id}', {
    summary: 'Delete a draft of the caller',
    needs: 'contribute',
    unaudited: true,
    params: id,
    reply: done,
    run: drafts.remove,
  }),
]
