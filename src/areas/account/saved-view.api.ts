import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { accountIds } from './declarations.ts'
import * as views from './saved-view.ts'

const SavedView = shape('SavedView', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Screen: choice(views.screens),
  Name: text,
  Search: text,
})

export const endpoints = [
  appEndpoint('GET /saved-view', {
    summary: 'List the caller’s saved views of a screen',
    needs: 'read',
    params: z.object({ screen: params.choice(views.screens) }),
    reply: parts({ Items: listOf(SavedView) }),
    run: views.list,
  }),
  appEndpoint('POST /saved-view', {
    summary: 'Save the filters of a screen under a name',
    needs: 'read',
    params: z.object({
      screen: params.choice(views.screens),
      name: params.line({ max: 64 }),
      search: params.line({ min: 0, max: 2000 }),
    }),
    reply: item('View', SavedView),
    run: views.save,
  }),
  appEndpoint('DELETE /saved-view/{id}', {
    summary: 'Delete a saved view',
    needs: 'read',
    params: z.object({ id: params.pathId(accountIds.savedView) }),
    reply: done,
    run: views.remove,
  }),
]
