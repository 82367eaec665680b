import { eventType } from './event-type.ts'
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
      Data: {
        Text: 'Is there a walk on it for a rainy afternoon?',
        Url: 'https://www.example.com/company/example-outdoors/posts/7301#comment-88',
      },
    },
  }),
  eventType('newConversion', {
    group,
    description: 'A visitor who came through a tracked link reached a conversion tag.',
  }),
] as const
