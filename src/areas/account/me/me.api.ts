import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { parts } from '#kernel/wire/replies.ts'
import { whoAmI } from './me.ts'

const User = shape('Me', { Id: text, Name: text, Email: text, LastLogin: zeroDatetime })
const Account = shape('Account', { Id: text, Name: text })

export const endpoints = [
  endpoint('GET /me', {
    summary: 'Validate the credentials and see whose they are',
    needs: 'read',
    params: z.object({}),
    reply: parts({ User, Account }),
    run: whoAmI,
  }),
]
