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

/** As little of a post as a calendar draws: thousands are carried at once. What is usual is not said: approved, no trouble, no media. */
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

/** Everything a calendar draws of a window of time; `IsAll` says whether it is all there is. */
export const plannerParts = {
  Posts: longList(Post),
  Campaigns: longMap(Campaign),
  Credentials: longMap(Profile),
  CustomEvents: listOf(CustomEvent),
  IsAll: flag,
}
