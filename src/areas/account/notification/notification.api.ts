import { z } from 'zod'
import { endpoint } from '#kernel/http/endpoint.ts'
import { boolean, shape } from '#kernel/wire/fields.ts'
import { flag } from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import * as notifications from './notification.ts'

const NotificationSettings = shape('NotificationSettings', {
  EmailDaily: boolean,
  EmailWeekly: boolean,
  EmailCampaignComplete: boolean,
  EmailOnNewAssignment: boolean,
  EmailOnNoteAdded: boolean,
  EmailOnNoteMention: boolean,
  EmailOnStatusChange: boolean,
  SendDailyEmailReport: boolean,
})

const choice = flag.optional()

/** Items is one object here, not a list. */
const reply = parts({ Items: NotificationSettings })

export const endpoints = [
  endpoint('GET /notification', {
    summary: 'See which mails the caller gets',
    needs: 'read',
    params: z.object({}),
    reply,
    run: notifications.get,
  }),
  endpoint('POST /notification', {
    summary: 'Choose which mails the caller gets',
    needs: 'contribute',
    params: z
      .object({
        EmailDaily: choice,
        EmailWeekly: choice,
        EmailCampaignComplete: choice,
        EmailOnNewAssignment: choice,
        EmailOnNoteAdded: choice,
        EmailOnNoteMention: choice,
        EmailOnStatusChange: choice,
        SendDailyEmailReport: choice,
      })
      .transform((sent) => ({
        emailDaily: sent.EmailDaily,
        emailWeekly: sent.EmailWeekly,
        emailCampaignComplete: sent.EmailCampaignComplete,
        emailOnNewAssignment: sent.EmailOnNewAssignment,
        emailOnNoteAdded: sent.EmailOnNoteAdded,
        emailOnNoteMention: sent.EmailOnNoteMention,
        emailOnStatusChange: sent.EmailOnStatusChange,
        sendDailyEmailReport: sent.SendDailyEmailReport,
      })),
    reply,
    run: notifications.update,
  }),
]
