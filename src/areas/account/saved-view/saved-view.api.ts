import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { listOf } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import * as views from './saved-view.ts'
import { SavedView, savedViewDraft, viewedScreens } from './saved-view-shape.ts'

export const endpoints = [
  appEndpoint('GET /saved-view', {
    summary: 'List the caller’s saved views of a screen',
    needs: 'read',
    params: z.object({ screen: params.choice(viewedScreens) }),
    reply: parts({ Items: listOf(SavedView) }),
    run: views.list,
  }),
  appEndpoint('POST /saved-view', {
    summary: 'Save the filters of a screen under a name',
    needs: 'read',
    params: savedViewDraft,
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
