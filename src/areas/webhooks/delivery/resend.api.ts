import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { integer, text } from '#kernel/wire/fields.ts'
import { moment } from '#kernel/wire/moment-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, parts } from '#kernel/wire/replies.ts'
import { rotateSecret } from '../webhook/webhook.ts'
import * as resend from './resend.ts'

const id = z.object({ id: params.pathId('webhook') })

export const endpoints = [
  appEndpoint('POST /webhook/{id}/test', {
    summary: 'Send a sample of its event to a webhook',
    needs: 'administer',
    params: id,
    reply: done,
    run: resend.sendTest,
  }),
  appEndpoint('POST /webhook/{id}/resend-failed', {
    summary: 'Send everything again that a webhook has not received since a moment',
    needs: 'administer',
    params: id.extend({ since: moment }),
    reply: parts({ Payloads: integer }),
    run: async (context, input) => ({ payloads: await resend.resendFailed(context, input) }),
  }),
  appEndpoint('POST /webhook/{id}/rotate-secret', {
    summary: 'Give a webhook a new secret; the old one stays valid for 24 hours',
    needs: 'administer',
    params: id,
    reply: parts({ Secret: text }),
    run: async (context, input) => ({ secret: await rotateSecret(context, input) }),
  }),
  appEndpoint('POST /webhook-payload/{id}/resend', {
    summary: 'Send one payload again, under the same id',
    needs: 'administer',
    params: z.object({ id: params.pathId('webhookPayload') }),
    reply: done,
    run: resend.resendOne,
  }),
]
