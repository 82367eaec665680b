import { z } from 'zod'
import { endpoint } from '#kernel/http/endpoint.ts'
import { roles } from '#kernel/permissions.ts'
import { choice, datetime, flag, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import * as users from './user.ts'

const User = shape('User', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: choice(users.statuses),
  Name: text,
  FirstName: text,
  LastName: text,
  Email: text,
  LastLogin: zeroDatetime,
  LastBoardLogin: zeroDatetime,
  HasBrowserExtension: flag,
  LinkedInId: text,
  LinkedInName: text,
  LinkedInImageUrl: text,
  TwitterId: text,
  TwitterName: text,
  TwitterImageUrl: text,
  FacebookId: text,
  FacebookName: text,
  FacebookImageUrl: text,
  Timezone: text,
})
const UserInList = shape('UserInList', {
  Id: text,
  Name: text,
  Email: text,
  LastLogin: zeroDatetime,
  Role: choice(roles),
  Timezone: text,
})

const id = z.object({ id: params.pathId('user') })
const name = params.line({ max: 64 })
const fields = z.object({
  firstName: name,
  lastName: name,
  email: params.email,
  password: params.secret(),
  timezone: params.timezone.optional(),
})

export const endpoints = [
  endpoint('GET /user/{id}', {
    summary: 'Get a user',
    needs: 'read',
    params: id,
    reply: item('User', User),
    run: users.get,
  }),
  endpoint('GET /user', {
    summary: 'List users',
    needs: 'read',
    params: listParams(
      { q: params.line({ min: 0 }).optional() },
      {
        count: oneOf(25, 50, 100),
        order: sortBy({ created: 'date', name: 'text', email: 'text' }, 'created,0'),
      },
    ),
    reply: list(UserInList),
    run: users.search,
  }),
  endpoint('POST /user', {
    summary: 'Create a user',
    needs: 'administer',
    params: fields.extend({ role: params.choice(roles) }),
    reply: item('User', User),
    run: users.create,
  }),
  endpoint('POST /user/{id}', {
    summary: 'Change a user',
    needs: 'administer',
    params: id.extend(fields.partial().shape),
    reply: item('User', User),
    run: users.update,
  }),
  endpoint('DELETE /user/{id}', {
    summary: 'Delete a user; its API keys stop at once',
    needs: 'administer',
    params: id,
    reply: done,
    run: users.remove,
  }),
]
