import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { choice, integer, shape, zeroDatetime } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { publishingIds } from '../declarations.ts'
import * as campaigns from './campaign.ts'
import {
  Campaign,
  campaignChanges,
  campaignColorAndEnd,
  campaignDraft,
  campaignStatuses,
  ListedCampaign,
  TableCampaign,
} from './campaign-shape.ts'
import { consequences, settleStatus } from './campaign-status.ts'

const WhenPaused = shape('WhenPaused', { PostsHeld: integer, SharesStopped: integer })
/** Unsent posts are deleted; for partly sent ones the remaining profiles are skipped. */
const WhenEnded = shape('WhenEnded', {
  PostsDeleted: integer,
  DraftsDeleted: integer,
  PostsGivenUp: integer,
  SharesStopped: integer,
})
const WhenResumed = shape('WhenResumed', { PostsResumed: integer, PostsLate: integer })

const id = z.object({ id: params.pathId(scopeIds.campaign) })
const withTags = params.flag.optional()

export const endpoints = [
  endpoint('GET /campaign/{id}', {
    summary: 'Get a campaign',
    needs: 'read',
    params: id.extend({ withTags }),
    reply: item('Campaign', Campaign),
    modified: ({ modified }) => modified,
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
    summary: 'Update a campaign; pausing holds its posts, archiving deletes unsent ones',
    needs: 'contribute',
    params: campaignChanges,
    reply: item('Campaign', Campaign),
    modified: ({ modified }) => modified,
    run: campaigns.update,
    after: settleStatus,
  }),
  endpoint('DELETE /campaign/{id}', {
    summary: 'Delete a campaign',
    needs: 'approve',
    params: id,
    reply: done,
    run: campaigns.remove,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /campaign', {
    summary: 'List campaigns with color, dates, tags and teams',
    needs: 'read',
    params: listParams(
      {
        q: params.line({ min: 0 }).optional(),
        statuses: params.choices(campaignStatuses).optional(),
        tagIds: params.idList(publishingIds.tag).optional(),
        teamIds: params.idList(accountIds.team).optional(),
      },
      { count: upTo(100, 50), order: sortBy({ created: 'date', name: 'text', status: 'text' }, 'created,0') },
    ),
    reply: list(TableCampaign),
    run: campaigns.table,
  }),
  appEndpoint('POST /campaign/{id}', {
    summary: 'Set the color or the end date of a campaign',
    needs: 'contribute',
    params: campaignColorAndEnd,
    reply: item('Campaign', Campaign),
    run: campaigns.updateColorAndEnd,
  }),
  appEndpoint('GET /campaign/{id}/consequences', {
    summary: 'Get the effects of pausing, archiving, deleting or resuming a campaign, in numbers',
    needs: 'read',
    params: id,
    reply: parts({
      Status: choice(campaignStatuses),
      Next: zeroDatetime,
      PostsUnderWay: integer,
      Paused: WhenPaused,
      Archived: WhenEnded,
      Deleted: WhenEnded,
      Active: WhenResumed,
    }),
    run: consequences,
  }),
]
