import { z } from 'zod'
import type { DescribedEventType } from '#areas/events/event-type.ts'
import { missing } from '#kernel/errors.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, decimal, integer, json, listOf, shape, text } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { moment } from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { webhookIds } from './declarations.ts'
import * as resend from './resend.ts'
import * as webhooks from './webhook.ts'
import * as log from './webhook-log.ts'
import { NewWebhook, Webhook, webhookChanges, webhookDraft } from './webhook-shape.ts'

const EventType = shape('EventType', { Event: text, Group: text, Description: text })
const LogEntry = shape('WebhookLogEntry', {
  Id: text,
  WebhookPayloadId: text,
  Created: datetime,
  ResponseCode: integer,
  ExecutionTime: decimal,
  Payload: json,
})

const id = z.object({ id: params.pathId(webhookIds.webhook) })

export const endpointsFor = (declared: readonly DescribedEventType[]) => {
  const types = inContractOrder(declared)
  const names = types.map(({ name }) => name)
  const update = {
    summary: 'Update a webhook',
    needs: 'administer',
    params: webhookChanges(names),
    reply: item('Webhook', Webhook),
    before: webhooks.checkUrl,
    run: webhooks.update,
  } as const
  return [
    endpoint('GET /webhook', {
      summary: 'List webhooks',
      needs: 'read',
      params: listParams(
        { event: params.choice(names).optional(), name: params.line({ min: 0 }).optional() },
        {
          count: oneOf(20, 25, 50, 100),
          order: sortBy(
            {
              name: 'text',
              description: 'text',
              lastExecutionDate: 'date',
              isEnabled: 'flag',
              created: 'date',
              modified: 'date',
            },
            'name,1',
          ),
        },
      ),
      reply: list(Webhook),
      run: webhooks.search,
    }),
    endpoint('GET /webhook/events', {
      summary: 'List event types',
      needs: 'read',
      params: z.object({}),
      reply: parts({ Events: listOf(EventType) }),
      run: async () => ({ events: offeredTypes(types) }),
    }),
    endpoint('GET /webhook/events/{event}', {
      summary: 'Get a sample payload of an event type',
      needs: 'read',
      params: z.object({ event: params.pathName }),
      reply: parts({ Event: text, Sample: json }),
      async run(_context, { event }) {
        const sample = resend.sampleOfEvent(types, event)
        if (!sample) throw missing('Event')
        return { event, sample }
      },
    }),
    endpoint('GET /webhook/{id}', {
      summary: 'Get a webhook',
      needs: 'read',
      params: id,
      reply: item('Webhook', Webhook),
      run: webhooks.get,
    }),
    endpoint('POST /webhook', {
      summary: 'Create a webhook; its secret is returned only once',
      needs: 'administer',
      params: webhookDraft(names),
      reply: item('Webhook', NewWebhook),
      before: webhooks.checkUrl,
      run: webhooks.create,
    }),
    endpoint('POST /webhook/{id}', update),
    // An existing client used this method for a day.
    endpoint('PUT /webhook/{id}', { operationId: 'replaceWebhook', ...update }),
    endpoint('DELETE /webhook/{id}', {
      summary: 'Delete a webhook',
      needs: 'administer',
      params: id,
      reply: done,
      run: webhooks.remove,
    }),
    endpoint('GET /webhook-log/{id}', {
      operationId: 'listWebhookLog',
      summary: 'List the delivery attempts of a webhook',
      needs: 'read',
      params: listParams(
        { id: params.pathId(webhookIds.webhook) },
        { count: upTo(100, 25), order: sortBy({ created: 'date' }, 'created,0') },
      ),
      reply: list(LogEntry),
      run: log.search,
    }),
  ]
}

export const appEndpointsFor = (types: readonly DescribedEventType[]) => [
  appEndpoint('POST /webhook/{id}/test', {
    summary: 'Send a sample event to a webhook',
    needs: 'administer',
    params: id,
    reply: done,
    run: (context, input) => resend.sendTest(context, input, types),
  }),
  appEndpoint('POST /webhook/{id}/resend-failed', {
    operationId: 'resendWebhookFailures',
    summary: 'Resend everything that a webhook has not received since a given time',
    needs: 'administer',
    params: id.extend({ since: moment }),
    reply: parts({ Payloads: integer }),
    run: async (context, input) => ({ payloads: await resend.resendFailed(context, input) }),
  }),
  appEndpoint('POST /webhook/{id}/rotate-secret', {
    summary: 'Rotate the secret of a webhook; the old one stays valid for 24 hours',
    needs: 'administer',
    params: id,
    reply: parts({ Secret: text }),
    run: async (context, input) => ({ secret: await webhooks.rotateSecret(context, input) }),
  }),
  appEndpoint('POST /webhook-payload/{id}/resend', {
    summary: 'Resend one payload under the same id',
    needs: 'administer',
    params: z.object({ id: params.pathId(webhookIds.webhookPayload) }),
    reply: done,
    run: resend.resendOne,
  }),
]

/** The order in which the contract lists event types; types that it does not list follow, legacy ones last. */
const contractOrder = [
  'newAdvocacyMessage',
  'newAdvocacyStory',
  'newAdvocacyTopic',
  'postCreated',
  'postModified',
  'postDeleted',
  'postSent',
  'newInboxItem',
  'newCommentOnInboxItem',
  'newDirectMessageOnInboxItem',
  'inboxItemReplied',
  'newNoteOnInboxItem',
  'newInboxItemAssignment',
  'inboxItemStatusChange',
  'inboxItemTagChange',
  'newLead',
  'newLeadActivity',
  'newConversion',
  'newApprovalItem',
  'approvalItemApproved',
  'approvalItemRejected',
  'newCampaign',
]

function positionOf({ name, legacy }: DescribedEventType): number {
  const position = contractOrder.indexOf(name)
  if (position >= 0) return position
  return contractOrder.length + (legacy ? 1 : 0)
}

export const inContractOrder = (types: readonly DescribedEventType[]): DescribedEventType[] =>
  [...types].sort((one, other) => positionOf(one) - positionOf(other))

/** Event types offered for new webhooks. */
const offeredTypes = (types: readonly DescribedEventType[]) =>
  types.filter(({ legacy }) => !legacy).map(({ name, group, description }) => ({ event: name, group, description }))
