import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { publishingIds } from './declarations.ts'
import * as tags from './tag.ts'

const Tag = shape('Tag', {
  Id: text,
  Created: datetime,
  Tag: text,
  LastUsedDate: zeroDatetime,
})

const tagDraft = z.object({
  tag: params.line({ min: 2, max: 64 }),
})
const tagChanges = tagDraft.extend({ id: params.pathId(publishingIds.tag) })

const id = z.object({ id: params.pathId(publishingIds.tag) })

export const endpoints = [
  endpoint('GET /tag', {
    summary: 'List tags',
    needs: 'read',
    params: listParams(
      { q: params.line({ min: 0 }).optional() },
      { count: oneOf(25, 50, 100), order: sortBy({ tag: 'text', created: 'date', lastUsed: 'date' }, 'created,0') },
    ),
    reply: list(Tag),
    run: tags.search,
  }),
  endpoint('GET /tag/{id}', {
    summary: 'Get a tag',
    needs: 'read',
    params: id,
    reply: item('Tag', Tag),
    run: tags.get,
  }),
  endpoint('POST /tag', {
    summary: 'Create a tag',
    needs: 'contribute',
    params: tagDraft,
    reply: item('Tag', Tag),
    run: tags.create,
  }),
  endpoint('POST /tag/{id}', {
    summary: 'Rename a tag everywhere',
    needs: 'contribute',
    params: tagChanges,
    reply: item('Tag', Tag),
    run: tags.update,
  }),
  endpoint('DELETE /tag/{id}', {
    summary: 'Delete a tag and remove it everywhere',
    needs: 'contribute',
    params: id,
    reply: done,
    run: tags.remove,
  }),
]
