import { resendFailed, resendOne, sendTest } from '#areas/webhooks/resend.ts'
import { rotateSecret, search } from '#areas/webhooks/webhook.ts'
import { registry } from '../registry.ts'
import { accountOption, allRows, type Command, withDatabase } from './command.ts'

const id = { help: 'Webhook id (0WA…)', required: true } as const
const page = { offset: 0, limit: allRows, order: { column: 'name', kind: 'text', ascending: true } } as const

export const webhookCommands: readonly Command[] = [
  {
    name: 'webhook list',
    summary: 'List the webhooks of an account',
    options: { account: accountOption },
    run: (settings, { account: accountId = '' }, print) =>
      withDatabase(settings, print, async ({ see }) => {
        const { items } = await see(accountId, (context) => search(context, { page }))
        if (items.length === 0) print('There are no webhooks.')
        for (const { id, isEnabled, event, name, url } of items)
          print(`${id}  ${isEnabled ? 'on ' : 'off'}  ${event}  ${name}  ${url}`)
      }),
  },
  {
    name: 'webhook test',
    summary: 'Send a sample of its event to a webhook',
    options: { account: accountOption, id },
    run: (settings, { account: accountId = '', id = '' }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        await act(accountId, { command: 'webhook test', id }, (context) => sendTest(context, { id }, registry.events))
        print(`A sample is on its way; GET /v2/webhook-log/${id} shows what becomes of it.`)
      }),
  },
  {
    name: 'webhook resend',
    summary: 'Send one payload again, under the same id',
    options: { account: accountOption, id: { help: 'Payload id (0WB…), WebhookPayloadId in the log', required: true } },
    run: (settings, { account: accountId = '', id = '' }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        await act(accountId, { command: 'webhook resend', id }, (context) => resendOne(context, { id }))
        print(`${id} is on its way.`)
      }),
  },
  {
    name: 'webhook resend-failed',
    summary: 'Send everything again that a webhook has not received',
    options: {
      account: accountOption,
      id,
      since: { help: 'From when on: 2026-01-31 or 2026-01-31T09:00:00Z', required: true },
    },
    run: (settings, { account: accountId = '', id = '', since = '' }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        const moment = readMoment(since)
        const count = await act(accountId, { command: 'webhook resend-failed', id }, (context) =>
          resendFailed(context, { id, since: moment }),
        )
        print(`${count} ${count === 1 ? 'payload is' : 'payloads are'} on the way.`)
      }),
  },
  {
    name: 'webhook rotate-secret',
    summary: 'Give a webhook a new secret; the old one stays valid for 24 hours',
    options: { account: accountOption, id },
    run: (settings, { account: accountId = '', id = '' }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        const secret = await act(accountId, { command: 'webhook rotate-secret', id }, (context) =>
          rotateSecret(context, { id }),
        )
        print(
          `Secret     ${secret}\nIt is shown this once. For 24 hours calls carry Standard Webhooks signatures of both secrets;`,
        )
        print('the hex signatures (X-Oktopost-Signature) are made with the new one from now on.')
      }),
  },
]

function readMoment(text: string): Date {
  const moment = new Date(text)
  if (!/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) || Number.isNaN(moment.getTime()))
    throw new Error('--since must be a day such as 2026-01-31 or a moment such as 2026-01-31T09:00:00Z.')
  return moment
}
