import { sampleIds } from './sample-ids.ts'

/** A scheduled post, with the profiles it is for. */
export const postSample = {
  Id: sampleIds.post,
  Created: '2026-03-02 09:20:00',
  Modified: '2026-03-02 09:20:00',
  Status: 'pending',
  AccountId: sampleIds.account,
  CreatedBy: sampleIds.user,
  ModifiedBy: sampleIds.user,
  Source: 'UI',
  ContentSource: 'User',
  Queued: 0,
  CampaignId: sampleIds.campaign,
  BoardId: '',
  MessageId: sampleIds.message,
  MessageChildId: '',
  MessageStatus: 'default',
  Network: 'LinkedIn',
  StartDateTime: '2026-03-03 08:00:00',
  Groups: '',
  GroupsCount: 0,
  TotalCount: 1,
  TargetGeo: '',
  UpdateStatus: 0,
  Flag: 'discussion',
  Clicks: 0,
  Converts: 0,
  Comments: 0,
  NewComments: 0,
  Likes: 0,
  Utm: '',
  ApproveStatus: 'Approved',
  Credentials: sampleIds.profile,
  ProfileIds: [sampleIds.profile],
  Profiles: [
    {
      Id: sampleIds.profile,
      Name: 'Example Outdoors',
      LongName: 'Example Outdoors (LinkedIn)',
      Type: 'LinkedIn',
      Thumbnail: 'https://www.example.com/images/example-outdoors.png',
      URL: 'https://www.example.com/company/example-outdoors',
    },
  ],
}

/** The same post once its one profile has published it. */
export const sentPostSample = {
  ...postSample,
  Modified: '2026-03-03 08:00:02',
  Status: 'complete',
  Postlogs: [
    {
      Id: sampleIds.postlog,
      PostURL: 'https://www.example.com/company/example-outdoors/posts/7301',
      MessageId: sampleIds.message,
      ProfileId: sampleIds.profile,
    },
  ],
}
