import { z } from 'zod'
import { boolean, datetime, json, listOf, nullableText, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { leadIds } from '../declarations.ts'

const LeadProfile = shape('LeadProfile', { Network: text, Url: text })

/** The person's record in an external system. */
const RemoteLead = shape('RemoteLead', {
  IntegrationID: text,
  RemoteIdentifier: text,
  LinkedLeadId: text,
  IntegrationType: text,
})

export const Lead = shape('Lead', {
  Id: text,
  ParentId: nullableText,
  AccountId: text,
  Type: text,
  Email: text,
  Name: text,
  FirstName: text,
  LastName: text,
  Photo: text,
  Phone: nullableText,
  IsTracked: boolean,
  Profiles: listOf(LeadProfile),
  RemoteLeads: listOf(RemoteLead),
})

/** Activity types as named in the API. */
const activityTypes = ['click', 'conversion', 'comment', 'reply', 'mention', 'message', 'share', 'like'] as const
export type ActivityType = (typeof activityTypes)[number]

export const LeadActivity = shape('LeadActivity', {
  Id: text,
  ActivityDate: datetime,
  AccountId: text,
  LeadId: text,
  Type: text,
  Network: text,
  ProfileId: text,
  PostlogId: nullableText,
  Data: json,
})

/** A manually created lead. */
export const leadDraft = z.object({
  email: params.email.optional(),
  name: params.line({ min: 0, max: 200 }).optional(),
  firstName: params.line({ min: 0, max: 100 }).optional(),
  lastName: params.line({ min: 0, max: 100 }).optional(),
  phone: params.line({ min: 0, max: 40 }).optional(),
})
export type LeadDraft = z.output<typeof leadDraft>

export const linkReplacement = z.object({
  integrationId: params.idOf(leadIds.integration),
  linkedRecordId: params.line(),
  newLinkedRecordId: params.line(),
})
export type LinkReplacement = z.output<typeof linkReplacement>
