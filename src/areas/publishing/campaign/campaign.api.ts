import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import * as campaigns from './campaign.ts'
import { Campaign, campaignChanges, campaignDraft, campaignStatuses, ListedCampaign } from './campaign-shape.ts'

const id = z.object({ id: params.pathId('campaign') })
const withTags = params.flag.optional()

export const endpoints = [
  endpoint('GET /campaign/{id}', {
    summary: 'Get a campaign',
    needs: 'read',
    params: id.extend({ withTags }),
    reply: item('Campaign', Campaign),
    run: campaigns.get,
  }),
  endpoint('GET /campaign', {
    summary: 'List campaigns',
    needs: 'read',
    params: listParams(
      { q: params.line({ min: 0 }).optional(), status: params.word(campaignStatuses).optional(), withTags },
      { count: upTo(200, 15), order: sortBy({ created: 'date', name: 'text', status: 'text' }, 'created,0') },
    ),
    reply: list(ListedCampaign),
    run: campaigns.search,
  }),
  endpoint('POST /campaign', {
    summary: 'Create a campaign',
    needs: 'contribute',
    params: campaignDraft,
    reply: item('Campaign', Campaign),
    run: campaigns.create,
  }),
  endpoint('POST /campaign/{id}', {
    summary: 'Change a campaign; pausing holds its posts, archiving deletes those not sent',
    needs: 'contribute',
    params: campaignChanges,
    reply: item('Campaign', Campaign),
    run: campaigns.update,
    after: campaigns.settleStatus,
  }),
  endpoint('DELETE /campaign/{id}', {
    summary: 'Delete a campaign',
    needs: 'contribute',
    params: id,
    reply: done,
    run: campaigns.remove,
  }),
]
