import { eventType } from './event-type.ts'
import { sampleIds } from './sample-ids.ts'

const neverHappened = '0000-00-00 00:00:00'

export const campaignEvents = [
  eventType('newCampaign', {
    group: 'Other',
    description: 'A campaign was created.',
    sample: {
      Id: sampleIds.campaign,
      Created: '2026-03-01 08:30:00',
      Modified: '2026-03-01 08:30:00',
      Name: 'Spring on foot',
      Status: 'active',
      AccountId: sampleIds.account,
      CreatedBy: sampleIds.user,
      ModifiedBy: sampleIds.user,
      Url: 'https://www.example.com/spring',
      Color: '#2F6F4E',
      ShortUrl: 'https://go.example.com/spring',
      StartDate: '2026-03-01 00:00:00',
      EndDate: neverHappened,
      LastConversionDate: neverHappened,
      LastCommentFound: neverHappened,
      SendSummary: 0,
      Clicks: 0,
      ChildClicks: 0,
      BoardClicks: 0,
      Converts: 0,
      ChildConverts: 0,
      BoardConverts: 0,
      Comments: 0,
      NewComments: 0,
      Likes: 0,
      TotalMessages: 0,
      TotalPosts: 0,
      TotalPendingPosts: 0,
      TotalDraftPosts: 0,
      SFDCCampaignId: '',
      SFDCCampaignName: '',
      SFDCCampaignOption: '',
      Utm: '',
    },
  }),
] as const
