import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, flag, listOf, shape, text, unixTime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { history, historyKinds } from './post-history.ts'

const HistoryEntry = shape('HistoryEntry', {
  At: unixTime,
  Kind: choice(historyKinds),
  UserId: text,
  UserName: text,
  CredentialId: text,
  Fields: listOf(text),
  Text: text,
  RemoteUrl: text,
})

export const endpoints = [
  appEndpoint('GET /post/{id}/history', {
    summary: 'See who made, changed, approved and repaired a post, and what became of it; the latest first',
    needs: 'read',
    params: z.object({ id: params.pathId('post') }),
    reply: parts({ Items: listOf(HistoryEntry), IsAll: flag }),
    run: history,
  }),
]
