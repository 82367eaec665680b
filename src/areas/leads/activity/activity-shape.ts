import { datetime, json, nullableText, shape, text } from '#kernel/wire/fields.ts'

/** Activity types as named in the API. */
export const activityTypes = ['click', 'conversion', 'comment', 'reply', 'mention', 'message', 'share', 'like'] as const
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
