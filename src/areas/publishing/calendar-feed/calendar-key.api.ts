import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, flag, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { done, parts } from '#kernel/wire/replies.ts'
import * as keys from './calendar-key.ts'

export const endpoints = [
  appEndpoint('GET /calendar-key', {
    summary: 'Check whether the caller has a calendar link',
    needs: 'read',
    params: z.object({}),
    reply: parts({ HasKey: flag, Created: zeroDatetime, LastUsed: zeroDatetime }),
    run: keys.get,
  }),
  appEndpoint('POST /calendar-key', {
    summary: 'Create a calendar link for the caller; it replaces the previous one',
    needs: 'read',
    params: z.object({}),
    reply: parts({ Url: text, Created: datetime }),
    run: keys.create,
  }),
  appEndpoint('DELETE /calendar-key', {
    summary: 'Revoke the caller’s calendar link',
    needs: 'read',
    params: z.object({}),
    reply: done,
    run: keys.remove,
  }),
]
