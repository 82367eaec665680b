import {
  choice,
  flag,
  integer,
  listOf,
  longList,
  longMap,
  optional,
  shape,
  text,
  unixTime,
} from '#kernel/wire/fields.ts'
import { networkNames } from '#networks/manifests.ts'
import { campaignStatuses } from '../campaign/campaign-shape.ts'
import { CustomEvent } from '../custom-event/custom-event-shape.ts'
import { approveStatuses, postStatuses } from '../post/post-shape.ts'
import { troubles } from './calendar-posts.ts'

/**
 * The minimum a calendar needs to draw a post, since thousands are sent at a time. Default values are omitted: approved, no problem, no
 * media.
 */
const Post = shape('PlannerPost', {
  Id: text,
  CampaignId: text,
  Network: text,
  CredentialIds: listOf(text),
  At: unixTime,
  Status: choice(postStatuses),
  ApproveStatus: optional(choice(approveStatuses)),
  Trouble: optional(choice(troubles)),
  Text: text,
  Media: optional(integer),
})

const Campaign = shape('PlannerCampaign', { Id: text, Name: text, Color: text, Status: choice(campaignStatuses) })

const Profile = shape('PlannerProfile', {
  Id: text,
  Name: text,
  Network: choice(networkNames),
  ImageLink: text,
  IsValid: flag,
})

/** Everything a calendar draws for a time range; `IsAll` is false if the result was truncated. */
export const plannerParts = {
  Posts: longList(Post),
  Campaigns: longMap(Campaign),
  Credentials: longMap(Profile),
  CustomEvents: listOf(CustomEvent),
  IsAll: flag,
}
