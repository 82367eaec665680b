import { ways } from '#kernel/caller.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, integer, listOf, nullableText, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { list } from './audit.ts'
import { deedFilters } from './audit-shape.ts'

const Deed = shape('Deed', {
  Id: text,
  Created: datetime,
  UserId: text,
  UserName: text,
  Via: choice(ways),
  ViaId: text,
  Address: text,
  Operation: text,
  EntityId: text,
  Fields: listOf(text),
  Count: integer,
  Refused: flag,
})

export const endpoints = [
  appEndpoint('GET /audit', {
    operationId: 'listAuditEntries',
    summary: 'List audit entries, latest first; continue with _after and a page’s Next',
    needs: 'administer',
    params: deedFilters.extend({
      _after: params.line({ min: 0, max: 15 }).optional(),
      _count: params.count(1, 100).optional(),
    }),
    reply: parts({ Items: listOf(Deed), Next: nullableText }),
    run: list,
  }),
]
