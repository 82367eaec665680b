import { z } from 'zod'
import { troubles } from '#areas/publishing/calendar/calendar-posts.ts'
import { postStatuses } from '#areas/publishing/post/post-shape.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { boolean, choice, integer, listOf, shape, text, unixTime, zeroDatetime } from '#kernel/wire/fields.ts'
import { parts } from '#kernel/wire/replies.ts'
import { networkNames } from '#networks/manifests.ts'
import { overview } from './overview.ts'

/** Approvals waiting for the caller; `Due` is the scheduled time of the post. */
const Approval = shape('OverviewApproval', {
  Id: text,
  EntityId: text,
  PostId: text,
  Network: text,
  CreatedBy: text,
  Created: unixTime,
  Due: zeroDatetime,
  Text: text,
})

const Post = shape('OverviewPost', {
  Id: text,
  CampaignId: text,
  Network: text,
  CredentialIds: listOf(text),
  At: unixTime,
  Status: choice(postStatuses),
  Trouble: choice(troubles),
  Text: text,
})

/** Includes the posts that can't be published meanwhile. */
const Profile = shape('OverviewProfile', {
  Id: text,
  Name: text,
  Network: choice(networkNames),
  Status: choice(['valid', 'invalid']),
  Reason: text,
  ExpiresOn: zeroDatetime,
  AtRisk: integer,
  NextAtRisk: zeroDatetime,
})

const Webhook = shape('OverviewWebhook', {
  Id: text,
  Name: text,
  Event: text,
  FailingSince: zeroDatetime,
  Reason: text,
})

/** Each list has its first few items, most urgent first, and a total that is counted up to a thousand. */
const overviewParts = {
  WaitsForMe: shape('WaitsForMe', { Approvals: listOf(Approval), Total: integer, Conversations: integer }),
  WentWrong: shape('WentWrong', {
    Posts: listOf(Post),
    PostsTotal: integer,
    Profiles: listOf(Profile),
    ProfilesTotal: integer,
    Webhooks: listOf(Webhook),
    WebhooksTotal: integer,
  }),
  GoesOutNext: listOf(Post),
  GoesOutTotal: integer,
  CameIn: shape('CameIn', { Conversations: integer, Leads: integer, Conversions: integer }),
  FirstSteps: shape('FirstSteps', {
    Profile: boolean,
    Campaign: boolean,
    Post: boolean,
    Invitation: boolean,
    Webhook: boolean,
  }),
}

export const endpoints = [
  appEndpoint('GET /overview', {
    summary: 'Get an overview: pending tasks, problems, next posts and recent activity',
    needs: 'read',
    params: z.object({}),
    reply: parts(overviewParts),
    run: overview,
  }),
]
