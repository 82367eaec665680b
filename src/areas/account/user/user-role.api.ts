import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { roles } from '#kernel/permissions.ts'
import { choice, flag, integer, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import { setMediaLibrary, setRole } from './user.ts'
import { consequences, roleChanges } from './user-role.ts'

/** A role is settled when a user is made; what the contract has no words for, the console and the command line can do. */
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
    summary: 'See what each other role would add and take away, before a user gets it',
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
    summary: "Change a user's role; never that of the last admin",
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user), role: params.choice(roles) }),
    reply: item('User', UserRole),
    run: setRole,
  }),
  appEndpoint('POST /user/{id}/media-library', {
    operationId: 'setUserMediaLibrary',
    summary: 'Let a user manage the folders of the library, or no longer',
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user), mediaLibrary: params.flag }),
    reply: done,
    run: setMediaLibrary,
  }),
  appEndpoint('GET /user/{id}/consequences', {
    summary: 'See in numbers what deleting a user ends, what is left to others, and what stays',
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
