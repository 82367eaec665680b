import { z } from 'zod'
import { endpoint } from '#kernel/http/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import { alsoCalled } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { urlOrNone } from '#kernel/wire/url-params.ts'
import { connectedNetworks, networkSpellings } from '#networks/manifests.ts'
import * as messages from './message.ts'
import { create } from './message-create.ts'
import { Message } from './message-shape.ts'
import { update } from './message-update.ts'

const id = z.object({ id: params.pathId('message') })
const withTags = params.flag.optional()
const network = params.word(connectedNetworks, networkSpellings)
const address = urlOrNone.optional()
const extras = z.object({
  linkUrl: address,
  linkTitle: params.line({ min: 0, max: 500 }).optional(),
  description: params.line({ min: 0, max: 2000 }).optional(),
  imageUrl: address,
  tagIds: params.idList('tag').optional(),
  media: params.idList('media').optional(),
  title: params.line({ min: 0, max: 400 }).optional(),
})
const text = alsoCalled(params.text({ max: 70_000 }), 'Content')

export const endpoints = [
  endpoint('GET /message/{id}', {
    summary: 'Get a message with its media',
    needs: 'read',
    params: id.extend({ withTags }),
    reply: item('Message', Message),
    run: messages.get,
  }),
  endpoint('GET /message', {
    summary: 'List the messages of a campaign, or some by their ids',
    needs: 'read',
    params: listParams(
      {
        campaignId: params.idOf('campaign', { min: 0 }).optional(),
        ids: params.idList('message').optional(),
        network: network.optional(),
        withTags,
      },
      { count: upTo(100, 25), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(Message),
    run: messages.search,
  }),
  endpoint('POST /message', {
    summary: 'Create a message for one network',
    needs: 'contribute',
    params: extras.extend({ network, campaignId: params.idOf('campaign'), message: text }),
    reply: item('Message', Message),
    run: create,
  }),
  endpoint('POST /message/{id}', {
    summary: 'Change a message',
    needs: 'contribute',
    params: extras.extend({
      id: params.pathId('message'),
      message: text.optional(),
      network: network.optional(),
      campaignId: params.idOf('campaign').optional(),
    }),
    reply: item('Message', Message),
    run: update,
  }),
  endpoint('DELETE /message/{id}', {
    summary: 'Delete a message',
    needs: 'contribute',
    params: id,
    reply: done,
    run: messages.remove,
  }),
]
