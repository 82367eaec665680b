import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { roles } from '#kernel/permissions.ts'
import { choice, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import { setRole } from './user.ts'

/** A role is settled when a user is made; what the contract has no words for, the console and the command line can do. */
const UserRole = shape('UserRole', { Id: text, Name: text, Email: text, Role: choice(roles) })

export const endpoints = [
  appEndpoint('POST /user/{id}/role', {
    summary: "Change a user's role; never that of the last admin",
    needs: 'administer',
    params: z.object({ id: params.pathId('user'), role: params.choice(roles) }),
    reply: item('User', UserRole),
    run: setRole,
  }),
]
