import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, longList, mapOf, nullableText, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, parts } from '#kernel/wire/replies.ts'
import { type Approvables, wordsFor } from '../approvable.ts'
import { approvalIds } from '../declarations.ts'
import * as notes from './note.ts'

const Author = shape('NoteAuthor', { Id: text, Name: text, Email: text, LastLogin: zeroDatetime })
const Note = shape('WorkflowNote', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  AccountId: text,
  UserId: text,
  Status: text,
  EntityId: text,
  Text: text,
  AdditionalData: nullableText,
})

/** Notes on content that can be approved. */
export function endpointsFor(approvables: Approvables) {
  const kinds = approvables.map(({ idKind }) => idKind)
  const id = z.object({ id: params.idOfAny([approvalIds.workflowItem, ...kinds], { min: 0 }) })
  const noted = id.extend({ note: params.text({ min: 1, max: 2000 }) })
  return [
    endpoint('GET /workflow-item-note', {
      operationId: 'listWorkflowItemNotes',
      summary: `List the notes on a ${wordsFor(approvables)}, by its id or that of its workflow item`,
      needs: 'read',
      params: id,
      reply: parts({ Authors: mapOf(Author), Notes: longList(Note) }),
      run: (context: Context, input: z.output<typeof id>) => notes.list(context, approvables, input),
    }),
    endpoint('PUT /workflow-item-note', {
      operationId: 'addWorkflowItemNote',
      inQuery: true,
      summary: `Add a note to a ${wordsFor(approvables)}`,
      needs: 'contribute',
      params: noted,
      reply: done,
      run: (context: Context, input: z.output<typeof noted>) => notes.add(context, approvables, input),
    }),
  ]
}
