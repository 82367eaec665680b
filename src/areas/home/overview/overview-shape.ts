import { troubles } from '#areas/publishing/calendar/calendar-posts.ts'
import { postStatuses } from '#areas/publishing/post/post-shape.ts'
import { boolean, choice, integer, listOf, shape, text, unixTime, zeroDatetime } from '#kernel/wire/fields.ts'
import { networkNames } from '#networks/manifests.ts'

/** What waits for the caller's own decision; `Due` is when the post would go out. */
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

/** With the posts that cannot go out while it is so. */
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

/** Each list with the first few, the most pressing first, and how many there are; no more than a thousand are counted. */
export const overviewParts = {
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
