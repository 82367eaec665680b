import { idKinds } from '#kernel/ids.ts'

/** A type of event that webhooks can subscribe to. The area that emits it declares it. */
export interface EventType<Name extends string = string> {
  readonly name: Name
  readonly group: string
  readonly description: string
  /** Still delivered to existing subscriptions, no longer offered. */
  readonly legacy: boolean
}

/** An event type with one element of its payload's data, or an array where the contract shows one. */
export interface DescribedEventType extends EventType {
  readonly sample: object
}

type EventTypes<Names extends string> = { readonly [name in Names]: EventType<name> }
type Descriptions = { readonly [name: string]: string }

/** Declares the event types of one group, by their names and descriptions. */
export const eventTypes = <const Declared extends Descriptions>(group: string, declared: Declared) =>
  declare(group, declared, false)

export const legacyEventTypes = <const Declared extends Descriptions>(group: string, declared: Declared) =>
  declare(group, declared, true)

const declare = <Declared extends Descriptions>(group: string, declared: Declared, legacy: boolean) =>
  Object.fromEntries(
    Object.entries(declared).map(([name, description]) => [name, { name, group, description, legacy }]),
  ) as EventTypes<keyof Declared & string>

/** Each type needs a sample, which its area derives from the shape it emits. */
export const withSamples = <Names extends string>(
  types: EventTypes<Names>,
  samples: { readonly [name in Names]: object },
): DescribedEventType[] =>
  Object.values<EventType<Names>>(types).map((type) => ({ ...type, sample: samples[type.name] }))

export const eventIds = idKinds({ event: '0EV' })

/** One id per kind, the same in every sample, so that a reader can follow references from one sample to another. */
export const sampleIds = {
  account: '001sample000001',
  user: '00Asample000001',
  assignee: '00Asample000002',
  campaign: '002sample000001',
  profile: '003-001000001-20481632',
  post: '004sample000001',
  message: '005sample000001',
  postlog: '007sample000001',
  click: '009sample000001',
  integration: '014sample000001',
  icon: '026sample000001',
  logo: '026sample000002',
  story: '0ASsample000001',
  conversionTag: '0ctsample000001',
  leadActivity: '0lasample000001',
  lead: '0ldsample000001',
  board: 'brdsample000001',
  workflow: 'cwfsample000001',
  workflowItem: 'cwisample000001',
  workflowStep: 'cwssample000001',
  timelineEntry: 'eatsample000001',
  // The webhook form of an inbox item's id: one character longer than the API's, around the same twelve.
  inboxItem: 'eitmsample000001',
  conversation: 'eitmsample000002',
  keptTag: 'etgsample000001',
  addedTag: 'etgsample000002',
  removedTag: 'etgsample000003',
  topic: 'tpcsample000001',
} as const

/** Fields with the same value in every sample. */
export const sampleReferences = {
  AccountId: sampleIds.account,
  CreatedBy: sampleIds.user,
  ModifiedBy: sampleIds.user,
  UserID: sampleIds.user,
  CampaignId: sampleIds.campaign,
  CampaignName: 'Spring on foot',
  MessageId: sampleIds.message,
  MessageID: sampleIds.message,
  PostId: sampleIds.post,
  PostID: sampleIds.post,
  PostlogId: sampleIds.postlog,
  CredentialId: sampleIds.profile,
  CredentialName: 'Example Outdoors',
  LeadId: sampleIds.lead,
  ConversionTagId: sampleIds.conversionTag,
  WorkflowID: sampleIds.workflow,
  WorkflowItemID: sampleIds.workflowItem,
  StepID: sampleIds.workflowStep,
  Network: 'LinkedIn',
} as const

export const messageSample = {
  Id: sampleIds.message,
  Created: '2026-03-02 09:12:40',
  Modified: '2026-03-02 09:15:03',
  Status: 'default',
  AccountId: sampleIds.account,
  CreatedBy: sampleIds.user,
  ModifiedBy: sampleIds.user,
  CampaignId: sampleIds.campaign,
  Network: 'LinkedIn',
  Subject: '',
  Message: 'Our spring trail guide is out: forty walks, all reachable by train. https://www.example.com/trail-guide',
  Md5: 'd694e4602b901ece7bbda8c8ded6e0e8',
  ImageUrl: 'https://www.example.com/images/trail-guide.jpg',
  Description: 'Forty walks that start and end at a station.',
  LinkTitle: 'The spring trail guide',
  LinkUrl: 'https://www.example.com/trail-guide',
  Url: 'https://www.example.com/trail-guide',
  Clicks: 0,
  ChildClicks: 0,
  BoardClicks: 0,
  Converts: 0,
  ChildConverts: 0,
  BoardConverts: 0,
  ChildrenCount: 0,
  Picture: 0,
  IsBoardMessage: 1,
}
