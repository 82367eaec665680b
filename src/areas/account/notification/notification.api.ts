import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { boolean, propertyName, shape } from '#kernel/wire/fields.ts'
import { flag } from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import * as notifications from './notification.ts'

const mails = {
  EmailDaily: boolean,
  EmailWeekly: boolean,
  EmailCampaignComplete: boolean,
  EmailOnNewAssignment: boolean,
  EmailOnNoteAdded: boolean,
  EmailOnNoteMention: boolean,
  EmailOnStatusChange: boolean,
  SendDailyEmailReport: boolean,
}
const NotificationSettings = shape('NotificationSettings', mails)

type Mail = keyof typeof mails
type Choices = { [name in Mail as Uncapitalize<name>]?: boolean | undefined }

/** Requests use the same names as responses. */
const choices = Object.fromEntries(Object.keys(mails).map((name) => [name, flag.optional()])) as {
  [name in Mail]: z.ZodOptional<typeof flag>
}

/** Items is one object here, not a list. */
const reply = parts({ Items: NotificationSettings })

export const endpoints = [
  endpoint('GET /notification', {
    operationId: 'getNotificationSettings',
    summary: 'Get the email notification settings of the caller',
    needs: 'read',
    params: z.object({}),
    reply,
    run: notifications.get,
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
    reply,
    run: notifications.update,
  }),
]
