import { z } from 'zod'
import { columnsOf, dashDatetime, datetime, flag, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { url } from '#kernel/wire/params.ts'
import { webhookIds } from './declarations.ts'

const fields = {
  Id: text,
  Name: text,
  Description: text,
  Event: text,
  Url: text,
  LastExecutionDate: dashDatetime,
  IsEnabled: flag,
  IsHidden: flag,
  Created: datetime,
  Modified: datetime,
}
export const Webhook = shape('Webhook', fields)
export const NewWebhook = shape('NewWebhook', { ...fields, Secret: text })

/** Without the secrets. */
export const webhookColumns = columnsOf(Webhook)

/** Fields that users set; columns of the row. */
export const webhookDraft = (events: readonly string[]) =>
  z.object({
    event: params.choice(events),
    name: params.line(),
    url,
    description: params.line({ min: 0, max: 1000 }).optional(),
    isEnabled: params.flag.optional(),
    isHidden: params.flag.optional(),
  })
export const webhookChanges = (events: readonly string[]) =>
  webhookDraft(events)
    .partial()
    .extend({ id: params.pathId(webhookIds.webhook) })
export type WebhookDraft = z.output<ReturnType<typeof webhookDraft>>
export type WebhookChanges = z.output<ReturnType<typeof webhookChanges>>
