import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { boolean, datetime, integer, propertyName, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import * as accounts from './account.ts'

import * as me from './me.ts'

const Me = shape('Me', { Id: text, Name: text, Email: text, LastLogin: zeroDatetime })
const AccountOfMe = shape('Account', { Id: text, Name: text })

const emails = {
  EmailDaily: boolean,
  EmailWeekly: boolean,
  EmailCampaignComplete: boolean,
  EmailOnNewAssignment: boolean,
  EmailOnNoteAdded: boolean,
  EmailOnNoteMention: boolean,
  EmailOnStatusChange: boolean,
  SendDailyEmailReport: boolean,
}
const NotificationSettings = shape('NotificationSettings', emails)

type Email = keyof typeof emails
type Choices = { [name in Email as Uncapitalize<name>]?: boolean | undefined }

/** Requests use the same names as responses. */
const choices = Object.fromEntries(Object.keys(emails).map((name) => [name, params.flag.optional()])) as {
  [name in Email]: z.ZodOptional<typeof params.flag>
}

/** Items is one object here, not a list. */
const notificationSettings = parts({ Items: NotificationSettings })

export const endpoints = [
  endpoint('GET /me', {
    summary: 'Validate the credentials and get their user',
    needs: 'read',
    params: z.object({}),
    reply: parts({ User: Me, Account: AccountOfMe }),
    run: me.whoAmI,
  }),
]

/** Listed last among the operations of the area. */
export const notificationEndpoints = [
  endpoint('GET /notification', {
    operationId: 'getNotificationSettings',
    summary: 'Get the email notification settings of the caller',
    needs: 'read',
    params: z.object({}),
    reply: notificationSettings,
    run: me.notificationSettings,
  }),
  endpoint('POST /notification', {
    operationId: 'updateNotificationSettings',
    summary: 'Update the email notification settings of the caller',
    needs: 'contribute',
    params: z
      .object(choices)
      .transform(
        (sent) =>
          Object.fromEntries(Object.entries(sent).map(([name, value]) => [propertyName(name), value])) as Choices,
      ),
    reply: notificationSettings,
    run: me.updateNotificationSettings,
  }),
]

const OwnAccount = shape('OwnAccount', {
  Id: text,
  Name: text,
  Created: datetime,
  Users: integer,
  UsersMost: integer,
})

const ownAccount = item('Account', OwnAccount)

const name = params.line({ max: 64 }).optional()

export const appEndpoints = [
  appEndpoint('POST /me', {
    operationId: 'updateMe',
    summary: 'Update the caller’s name and time zone',
    needs: 'read',
    params: z.object({ firstName: name, lastName: name, timezone: params.timezone.optional() }),
    reply: done,
    run: me.changeOwn,
  }),
  appEndpoint('GET /account', {
    summary: 'Get the account with its name, creation date, and number and quota of users',
    needs: 'read',
    params: z.object({}),
    reply: ownAccount,
    run: accounts.get,
  }),
  appEndpoint('POST /account', {
    operationId: 'updateAccount',
    summary: 'Rename the account',
    needs: 'administer',
    params: z.object({ name: params.line() }),
    reply: ownAccount,
    run: accounts.rename,
  }),
]
