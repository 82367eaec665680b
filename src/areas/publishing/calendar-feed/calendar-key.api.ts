import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, flag, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { done, parts } from '#kernel/wire/replies.ts'
import * as keys from './calendar-key.ts'

export const endpoints = [
  appEndpoint('GET /calendar-key', {
    summary: 'See whether other calendars can read one’s own',
    needs: 'read',
    params: z.object({}),
    reply: parts({ HasKey: flag, Created: zeroDatetime, LastUsed: zeroDatetime }),
    run: keys.get,
  }),
  appEndpoint('POST /calendar-key', {
    summary: 'Make an address at which other calendars read one’s own; one from before leads nowhere any more',
    needs: 'read',
    params: z.object({}),
    reply: parts({ Url: text, Created: datetime }),
    run: keys.create,
  }),
  appEndpoint('DELETE /calendar-key', {
    summary: 'Let no other calendar read one’s own any more',
    needs: 'read',
    params: z.object({}),
    reply: done,
    run: keys.remove,
  }),
]
