import { eventType } from './event-type.ts'
import { commentText, inboxItemSample } from './inbox-item-sample.ts'
import { messageSample } from './message-sample.ts'
import { sampleIds } from './sample-ids.ts'

const group = 'Leads'

export const leadEvents = [
  eventType('newLead', {
    group,
    description: 'A person became known by an email address.',
    sample: {
      Id: sampleIds.lead,
      ParentId: null,
      AccountId: sampleIds.account,
      Type: 'person',
      Email: 'robin.field@example.com',
      Name: 'Robin Field',
      FirstName: 'Robin',
      LastName: 'Field',
      Photo: 'https://www.example.com/images/robin-field.png',
      Phone: null,
      IsTracked: true,
      Profiles: [{ Network: 'LinkedIn', Url: 'https://www.example.com/in/robin-field' }],
      RemoteLeads: [
        {
          IntegrationID: sampleIds.integration,
          RemoteIdentifier: 'robin.field@example.com',
          LinkedLeadId: '70120044',
          IntegrationType: 'hubspot',
        },
      ],
    },
  }),
  eventType('newLeadActivity', {
    group,
    description: 'A lead did something on a network.',
    sample: {
      Id: sampleIds.leadActivity,
      ActivityDate: '2026-03-03 11:41:55',
      AccountId: sampleIds.account,
      LeadId: sampleIds.lead,
      Type: 'comment',
      Network: 'LinkedIn',
      ProfileId: sampleIds.profile,
      PostlogId: sampleIds.postlog,
      Data: { Text: commentText, Url: inboxItemSample.Url },
    },
  }),
  eventType('newConversion', {
    group,
    description: 'A visitor who came through a tracked link reached a conversion tag.',
    sample: {
      Id: sampleIds.click,
      Created: '2026-03-03 08:31:12',
      CampaignId: sampleIds.campaign,
      MessageId: sampleIds.message,
      PostId: sampleIds.post,
      PostlogId: sampleIds.postlog,
      LeadId: sampleIds.lead,
      ConversionTagId: sampleIds.conversionTag,
      CredentialId: sampleIds.profile,
      CampaignName: 'Spring on foot',
      CredentialName: 'Example Outdoors',
      Message: messageSample.Message,
      LinkUrl: messageSample.LinkUrl,
      LinkTitle: messageSample.LinkTitle,
      ImageUrl: messageSample.ImageUrl,
      Picture: messageSample.Picture,
      RemoteUrl: 'https://www.example.com/company/example-outdoors/posts/7301',
      ConvertedDate: '2026-03-03 08:34:47',
      Network: 'LinkedIn',
      UserAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      GeoCountry: 'Netherlands',
      GeoCity: 'Utrecht',
      GeoOrganization: 'Example Telecom',
      GeoLongitude: 5.12,
      GeoLatitude: 52.09,
    },
  }),
] as const
