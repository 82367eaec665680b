import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import * as users from './user.ts'
import { User, UserInList, userChanges, userDraft } from './user-shape.ts'

const id = z.object({ id: params.pathId(accountIds.user) })

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
    params: userDraft,
    reply: item('User', User),
    run: users.create,
  }),
  endpoint('POST /user/{id}', {
    summary: 'Update a user',
    needs: 'administer',
    params: userChanges,
    reply: item('User', User),
    before: users.hashGiven,
    run: users.update,
  }),
  endpoint('DELETE /user/{id}', {
    summary: 'Delete a user and revoke their API keys',
    needs: 'administer',
    params: id,
    reply: done,
    run: users.remove,
  }),
]
