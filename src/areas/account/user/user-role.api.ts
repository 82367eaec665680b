import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { roles } from '#kernel/permissions.ts'
import { choice, flag, integer, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import { setMediaLibrary, setRole } from './user.ts'
import { consequences, roleChanges } from './user-role.ts'

/** The public contract sets a role only when a user is created; the console and the command line can change it. */
const UserRole = shape('UserRole', { Id: text, Name: text, Email: text, Role: choice(roles) })

const Change = shape('AbilityChange', { Ability: text, Words: text })
const OtherRole = shape('OtherRole', {
  Role: choice(roles),
  Adds: listOf(Change),
  Takes: listOf(Change),
  TakesLibrary: flag,
})

export const endpoints = [
  appEndpoint('GET /user/{id}/role', {
    summary: 'Get the abilities that each other role would add to and remove from a user',
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user) }),
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
    params: z.object({ id: params.pathId(accountIds.user), role: params.choice(roles) }),
    reply: item('User', UserRole),
    run: setRole,
  }),
  appEndpoint('POST /user/{id}/media-library', {
    operationId: 'setUserMediaLibrary',
    summary: 'Allow or disallow a user to manage library folders',
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user), mediaLibrary: params.flag }),
    reply: done,
    run: setMediaLibrary,
  }),
  appEndpoint('GET /user/{id}/consequences', {
    summary: 'Get the effects of deleting a user, in numbers',
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user) }),
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
