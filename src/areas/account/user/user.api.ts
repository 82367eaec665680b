import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { roles } from '#kernel/permissions.ts'
import { choice, datetime, flag, integer, listOf, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { idFilter, listParams, oneOf, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import * as users from './user.ts'
import { consequences, roleChanges, setRole } from './user-role.ts'
import { User, UserInList, userChanges, userDraft, userStatuses } from './user-shape.ts'

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

/** The public contract sets a role only when a user is created; the console and the command line can change it. */
const UserRole = shape('UserRole', { Id: text, Name: text, Email: text, Role: choice(roles) })

const AbilityChange = shape('AbilityChange', { Ability: text, Words: text })
const OtherRole = shape('OtherRole', {
  Role: choice(roles),
  Adds: listOf(AbilityChange),
  Takes: listOf(AbilityChange),
  TakesLibrary: flag,
})

export const appEndpoints = [
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
    run: users.searchPeople,
  }),
  appEndpoint('GET /user/{id}/role', {
    summary: 'Get the abilities that each other role would add to and remove from a user',
    needs: 'administer',
    params: id,
    reply: parts({
      Present: choice(roles),
      Others: listOf(OtherRole),
      IsLastAdmin: flag,
      Sessions: integer,
      ApiKeys: integer,
    }),
    run: roleChanges,
  }),
  appEndpoint('POST /user/{id}/role', {
    operationId: 'setUserRole',
    summary: "Change a user's role, except for the last admin",
    needs: 'administer',
    params: id.extend({ role: params.choice(roles) }),
    reply: item('User', UserRole),
    run: setRole,
  }),
  appEndpoint('POST /user/{id}/media-library', {
    operationId: 'setUserMediaLibrary',
    summary: 'Allow or disallow a user to manage library folders',
    needs: 'administer',
    params: id.extend({ mediaLibrary: params.flag }),
    reply: done,
    run: users.setMediaLibrary,
  }),
  appEndpoint('GET /user/{id}/consequences', {
    summary: 'Get the effects of deleting a user, in numbers',
    needs: 'administer',
    params: id,
    reply: parts({
      IsLastAdmin: flag,
      Sessions: integer,
      ApiKeys: integer,
      Drafts: integer,
      Boards: integer,
      Steps: integer,
      StepsAlone: integer,
      Conversations: integer,
      PlannedPosts: integer,
    }),
    run: consequences,
  }),
]
