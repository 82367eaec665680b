import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, integer, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import * as accounts from './account.ts'

const OwnAccount = shape('OwnAccount', {
  Id: text,
  Name: text,
  Created: datetime,
  Users: integer,
  UsersMost: integer,
})

const reply = item('Account', OwnAccount)

export const endpoints = [
  appEndpoint('GET /account', {
    summary: 'Get the account with its name, creation date, and number and quota of users',
    needs: 'read',
    params: z.object({}),
    reply,
    run: accounts.get,
  }),
  appEndpoint('POST /account', {
    operationId: 'updateAccount',
    summary: 'Rename the account',
    needs: 'administer',
    params: z.object({ name: params.line() }),
    reply,
    run: accounts.rename,
  }),
]
