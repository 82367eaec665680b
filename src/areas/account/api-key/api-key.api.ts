import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, flag, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import * as keys from './api-key.ts'

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
/** The key itself is shown this once. */
const NewApiKey = shape('NewApiKey', { Id: text, Name: text, Created: datetime, Expires: zeroDatetime, Key: text })

export const endpoints = [
  appEndpoint('GET /api-key', {
    summary: 'List one’s API keys; an admin those of everybody, with all=1',
    needs: 'read',
    params: z.object({ all: params.flag.optional() }),
    reply: list(ApiKey),
    run: keys.list,
  }),
  appEndpoint('POST /api-key', {
    summary: 'Make an API key of one’s own, with one’s role; the answer shows it this once',
    needs: 'read',
    params: z.object({ name: params.line({ max: 100 }), expires: momentOrNone.optional() }),
    reply: item('ApiKey', NewApiKey),
    run: keys.create,
  }),
  appEndpoint('DELETE /api-key/{id}', {
    summary: 'Revoke one of one’s API keys, or as an admin anybody’s; it stops at once',
    needs: 'read',
    params: z.object({ id: params.pathId(accountIds.apiKey) }),
    reply: done,
    run: keys.revoke,
  }),
]
