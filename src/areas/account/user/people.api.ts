import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { roles } from '#kernel/permissions.ts'
import { choice, datetime, flag, listOf, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { idFilter, listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { list } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import * as people from './people.ts'
import { userStatuses } from './user-shape.ts'

const Person = shape('Person', {
  Id: text,
  Created: datetime,
  Name: text,
  FirstName: text,
  LastName: text,
  Email: text,
  Role: choice(roles),
  Status: choice(userStatuses),
  Timezone: text,
  MediaLibrary: flag,
  TeamIds: listOf(text),
  LastSeen: zeroDatetime,
  Invited: zeroDatetime,
})

export const endpoints = [
  appEndpoint('GET /user', {
    summary: 'List users with their teams, last activity and invitation status',
    needs: 'read',
    params: listParams(
      {
        q: params.line({ min: 0 }).optional(),
        role: params.choice(roles).optional(),
        id: idFilter(accountIds.user).optional(),
      },
      { count: upTo(100, 50), order: sortBy({ created: 'date', name: 'text', email: 'text' }, 'name,1') },
    ),
    reply: list(Person),
    run: people.list,
  }),
]
