import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, parts } from '#kernel/wire/replies.ts'
import { changeOwn, whoAmI } from './me.ts'

const User = shape('Me', { Id: text, Name: text, Email: text, LastLogin: zeroDatetime })
const Account = shape('Account', { Id: text, Name: text })

export const endpoints = [
  endpoint('GET /me', {
    summary: 'Validate the credentials and get their user',
    needs: 'read',
    params: z.object({}),
    reply: parts({ User, Account }),
    run: whoAmI,
  }),
]

const name = params.line({ max: 64 }).optional()

export const appEndpoints = [
  appEndpoint('POST /me', {
    operationId: 'updateMe',
    summary: 'Update the caller’s name and time zone',
    needs: 'read',
    params: z.object({ firstName: name, lastName: name, timezone: params.timezone.optional() }),
    reply: done,
    run: changeOwn,
  }),
]
