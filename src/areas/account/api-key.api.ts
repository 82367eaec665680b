import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, flag, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import * as keys from './api-key.ts'
import { accountIds } from './declarations.ts'

const ApiKey = shape('ApiKey', {
  Id: text,
  Name: text,
  Created: datetime,
  LastUsed: zeroDatetime,
  Expires: zeroDatetime,
  UserId: text,
  UserName: text,
  IsCurrent: flag,
})
/** The key is shown only once. */
const NewApiKey = shape('NewApiKey', { Id: text, Name: text, Created: datetime, Expires: zeroDatetime, Key: text })

export const endpoints = [
  appEndpoint('GET /api-key', {
    summary: 'List the caller’s API keys; admins list all with all=1',
    needs: 'read',
    params: z.object({ all: params.flag.optional() }),
    reply: list(ApiKey),
    run: keys.list,
  }),
  appEndpoint('POST /api-key', {
    summary: 'Create an API key for the caller; it is returned only once',
    needs: 'read',
    params: z.object({ name: params.line({ max: 100 }), expires: momentOrNone.optional() }),
    reply: item('ApiKey', NewApiKey),
    run: keys.create,
  }),
  appEndpoint('DELETE /api-key/{id}', {
    summary: 'Revoke an API key of the caller, or as an admin any API key',
    needs: 'read',
    params: z.object({ id: params.pathId(accountIds.apiKey) }),
    reply: done,
    run: keys.revoke,
  }),
]
