import { z } from 'zod'
import { endpoint } from '#kernel/http/endpoint.ts'
import { datetime, listOf, mapOf, nullableText, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, parts } from '#kernel/wire/replies.ts'
import * as notes from './workflow-note.ts'

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

const id = z.object({ id: params.idOfAny(['workflowItem', 'post', 'message'], { min: 0 }) })

export const endpoints = [
  endpoint('GET /workflow-item-note', {
    summary: 'List what was noted about a post or message, by its id or that of its workflow item',
    needs: 'read',
    params: id,
    reply: parts({ Authors: mapOf(Author), Notes: listOf(Note) }),
    run: notes.list,
  }),
  endpoint('PUT /workflow-item-note', {
    summary: 'Note something about a post or message',
    needs: 'contribute',
    params: id.extend({ note: params.text({ min: 1, max: 2000 }) }),
    reply: done,
    run: notes.add,
  }),
]
