// Written by `npm run generate` from the migrations. Do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

export interface AccountUsage {
  accountId: string
  kind: string
  part: number
  used: Generated<number>
}

export interface Accounts {
  id: string
  created: Date
  modified: Date
  name: string
  status: Generated<'active' | 'disabled'>
  number: Generated<number>
}

export interface ApiKeys {
  accountId: string
  id: string
  userId: string
  created: Date
  name: string
  digest: Buffer
  lastUsed: Date | null
  expires: Date | null
}

export interface AuditLog {
  accountId: string
  id: string
  created: Date
  userId: string
  via: string
  viaId: string
  address: string
  operation: string
  entityId: string
  fields: string[]
  count: number
  refused: Generated<boolean>
}

export interface BoardMembers {
  accountId: string
  boardId: string
  userId: string
  created: Date
  invitedBy: string
  invited: Date
  accepted: Date | null
  role: 'contributor' | 'manager'
  lastSeen: Generated<Date>
  customValues: ColumnType<unknown, string | undefined, string>
  wantsDigest: Generated<boolean>
  topicsSeen: Date | null
}

export interface BoardMessages {
  accountId: string
  boardId: string
  messageId: string
  created: Date
  createdBy: string
  startDate: Date
  expireDate: Date
  important: Generated<boolean>
  topicIds: Generated<string[]>
}

export interface BoardRankings {
  accountId: string
  boardId: string
  period: string
  since: string
  counted: number
}

export interface BoardRanks {
  accountId: string
  boardId: string
  userId: string
  rank: number
  points: number
  shares: number
  clicks: number
  converts: number
}

export interface BoardSignUps {
  accountId: string
  id: string
  boardId: string
  email: string
  address: string
  firstName: string
  lastName: string
  created: Date
  confirmed: Date | null
  ends: Date
  mails: Generated<number>
  digest: Buffer | null
}

export interface BoardSlugs {
  slug: string
  account: string
  boardId: string
}

export interface Boards {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  modifiedBy: string
  name: string
  status: Generated<'active' | 'archived'>
  kind: Generated<'stories' | 'messages'>
  seats: number | null
  members: Generated<number>
  defaultExpiration: Generated<string>
  defaultRole: Generated<'contributor' | 'manager'>
  color: Generated<string>
  iconId: Generated<string>
  logoId: Generated<string>
  logoPosition: Generated<'left' | 'center' | 'right'>
  allowsSuggestions: Generated<boolean>
  leaderboardEnabled: Generated<boolean>
  leaderboardPeriod: Generated<'week' | 'month' | 'quarter' | 'year' | 'all'>
  notificationsEnabled: Generated<boolean>
  notificationsDay: number | null
  notificationsHour: Generated<number>
  notificationsZone: Generated<string>
  digestDue: Date | null
  postAddress: Generated<string>
  signUpEnabled: Generated<boolean>
  signUpDomains: Generated<string[]>
  slug: string
  terms: Generated<string>
  needsPassword: Generated<boolean>
  customFields: ColumnType<unknown, string | undefined, string>
  shareWindow: Generated<number>
  dailyCaps: ColumnType<unknown, string | undefined, string>
}

export interface CalendarKeys {
  accountId: string
  userId: string
  digest: Buffer
  created: Date
  lastUsed: Date | null
}

export interface Campaigns {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  modifiedBy: string
  name: string
  status: Generated<'active' | 'complete' | 'paused' | 'archived'>
  url: Generated<string>
  color: string
  startDate: Date | null
  endDate: Date | null
  lastCommentFound: Date | null
  sendSummary: Generated<number>
  sfdcCampaignId: Generated<string>
  sfdcCampaignName: Generated<string>
  sfdcCampaignOption: Generated<string>
  utm: Generated<string>
  deleted: Date | null
  ending: Generated<boolean>
  linkId: string | null
}

export interface CannedResponses {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  content: string
  visibility: 'shared' | 'private'
}

export interface ClickBatches {
  number: Generated<number>
  account: string
  at: Date
  size: number
  clicks: string
}

export interface Clicks {
  accountId: string
  id: string
  created: Date
  linkId: string
  campaignId: string
  messageId: string
  postId: string
  credentialId: string
  network: string
  class: 'human' | 'bot' | 'preview' | 'head' | 'prefetch' | 'duplicate'
  reason: Generated<string>
  visitorId: string
  leadId: Generated<string>
  conversionTagId: string | null
  converted: Date | null
  userAgent: Generated<string>
  country: Generated<string>
  city: Generated<string>
  organization: Generated<string>
  longitude: Generated<number>
  latitude: Generated<number>
}

export interface Cnames {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  checked: Date
  problem: Generated<string>
}

export interface ConnectOffers {
  accountId: string
  id: string
  created: Date
  createdBy: string
  network: string
  grants: string
  boardOnly: Generated<boolean>
}

export interface ConversationTags {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  value: string
}

export interface ConversionTagAccounts {
  tag: string
  account: string
}

export interface ConversionTags {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  tag: string
  value: Generated<string>
  status: 'active' | 'inactive'
  conversions: Generated<number>
}

export interface Conversions {
  accountId: string
  clickId: string
  conversionTagId: string
  created: Date
  value: string
  email: Generated<string>
  leadId: Generated<string>
}

export interface CounterRebuilds {
  accountId: string
  begun: Date
  first: string | null
  reached: string | null
}

export interface Counters {
  accountId: string
  ofKind: string
  ofId: string
  name: string
  value: number
  last: Date
}

export interface Credentials {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  network: 'LinkedIn' | 'Twitter' | 'YouTube' | 'Instagram' | 'Facebook' | 'WeChat' | 'Xing' | 'TikTok'
  networkAccountId: string
  kind: 'page' | 'member' | 'account' | 'channel'
  name: string
  givenName: Generated<string>
  displayName: GeneratedAlways<string>
  networkUsername: string
  imageLink: string
  status: 'valid' | 'invalid'
  statusReason: Generated<string>
  nativePostsEnabled: Generated<boolean>
  boardOnly: Generated<boolean>
  isHidden: Generated<boolean>
  parentCredentialId: Generated<string>
  tier: string | null
  expiresOn: Date | null
  notifiedExpiry: Date | null
  renewOn: Date | null
  secret: string | null
  secretVersion: Generated<number>
  refreshingUntil: Date | null
  deleted: Date | null
  invalidSince: Date | null
}

export interface CustomEventCampaigns {
  accountId: string
  eventId: string
  campaignId: string
}

export interface CustomEvents {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  title: string
  description: Generated<string>
  startDateTime: Date
  endDateTime: Date
}

export interface DailyRollups {
  accountId: string
  ofKind: string
  ofId: string
  name: string
  day: string
  value: number
}

export interface DashboardFavorites {
  accountId: string
  userId: string
  dashboardId: string
}

export interface DashboardSetups {
  accountId: string
  created: Date
}

export interface DashboardTeams {
  accountId: string
  dashboardId: string
  teamId: string
}

export interface DashboardWidgets {
  accountId: string
  id: string
  dashboardId: string
  created: Date
  modified: Date
  type: Generated<string>
  name: string
  description: Generated<string>
  chartType: 'line' | 'bar' | 'stacked' | 'pie' | 'number' | 'table'
  source: string
  x: number
  y: number
  width: number
  height: number
  report: ColumnType<unknown, string, string>
}

export interface Dashboards {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  description: Generated<string>
  type: Generated<'custom' | 'template'>
  visibility: 'shared' | 'private'
  linkSharingVisibility: Generated<string>
  forTeams: Generated<boolean>
  range: ColumnType<unknown, string, string>
  filters: ColumnType<unknown, string | undefined, string>
}

export interface DeletedLeadCounts {
  accountId: string
  name: 'leads' | 'leadActivities'
  quarter: Date
  network: string
  campaignId: string
  amount: number
}

export interface DigestEmails {
  accountId: string
  boardId: string
  userId: string
  moment: Date
}

export interface Drafts {
  accountId: string
  userId: string
  id: string
  created: Date
  modified: Date
  kind: 'post' | 'reply' | 'note'
  title: string
  content: string
  version: Generated<number>
}

export interface EntityTags {
  accountId: string
  entityId: string
  tagId: string
}

export interface EventQueue {
  account: string
  id: string
  webhooks: string[] | null
}

export interface Events {
  accountId: string
  id: string
  created: Date
  type: string
  data: string
  scopes: string[] | null
}

export interface ExportRuns {
  accountId: string
  id: string
  exportId: string
  created: Date
  createdBy: string
  starts: Date
  ends: Date
  status: 'waiting' | 'writing' | 'delivering' | 'done' | 'failed'
  attempts: Generated<number>
  error: Generated<string>
  fileKey: Generated<string>
  fileName: Generated<string>
  rows: Generated<number>
  unreadable: Generated<number>
  bytes: Generated<number>
  digest: Generated<string>
  finished: Date | null
}

export interface Exports {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  type: 'Posts' | 'Clicks' | 'Conversions' | 'Links' | 'Campaigns' | 'Advocates' | 'Leads' | 'Inbox'
  destinationType: 'email' | 'azure' | 'FTP' | 'SFTP' | 'S3_bucket'
  destination: ColumnType<unknown, string, string>
  secret: string | null
  status: 'active' | 'inactive'
  frequency: 'daily' | 'weekly' | 'monthly'
  weekday: number
  monthDay: number
  hour: number
  timezone: string
  timeRange: 'yesterday' | 'last-7-days' | 'last-30-days' | 'last-90-days' | 'last-week' | 'last-month' | 'all-time'
  nextRun: Date | null
  lastRun: Date | null
  lastRunId: string | null
}

export interface FeedEntries {
  accountId: string
  number: number
  mark: string
  created: Date
  createdBy: string
  hints: string
}

export interface FeedHeads {
  accountId: string
  last: number
  mark: string
}

export interface FeedWaiting {
  accountId: string
  mark: string
  created: Date
  createdBy: string
  hints: string
}

export interface FileReservations {
  accountId: string
  id: string
  digest: string
  created: Date
}

export interface FirstComments {
  accountId: string
  id: string
  postId: string
  text: string
  mediaId: string | null
}

export interface Gauges {
  accountId: string
  ofKind: string
  ofId: string
  name: string
  quarter: Date
  value: number
  at: Date
}

export interface IdempotencyKeys {
  accountId: string
  userId: string
  key: string
  created: Date
  requestDigest: Buffer
  status: number | null
  answer: string | null
  claim: string | null
  leaseUntil: Date | null
}

export interface InboxActivities {
  accountId: string
  credentialId: string
  dedupeKey: string
  received: Date
  state: 'new' | 'waiting' | 'done' | 'refused'
  waitsFor: string | null
  due: Date | null
  activity: ColumnType<unknown, string, string> | null
  reason: Generated<string>
}

export interface InboxCases {
  accountId: string
  itemId: string
  integrationId: string
  created: Date
  modified: Date
  createdBy: string
  caseOwner: Generated<string>
  contactId: Generated<string>
  description: Generated<string>
  remoteId: Generated<string>
  url: Generated<string>
  status: 'waiting' | 'saved' | 'failed'
  error: Generated<string>
  version: Generated<number>
  savedVersion: Generated<number>
}

export interface InboxEntries {
  accountId: string
  id: string
  itemId: string
  type: 'message' | 'comment' | 'reply' | 'like' | 'share' | 'note' | 'assignment' | 'status' | 'tag' | 'case'
  created: Date
  isOwn: boolean
  createdBy: Generated<string>
  credentialId: string
  remoteId: Generated<string>
  parentRemoteId: Generated<string>
  personId: Generated<string>
  personName: Generated<string>
  personUsername: Generated<string>
  personPicture: Generated<string>
  content: Generated<string>
  media: ColumnType<unknown, string | undefined, string>
  url: Generated<string>
  language: Generated<string>
  details: ColumnType<unknown, string | undefined, string>
  replyId: Generated<string>
  edited: Date | null
  removed: Date | null
}

export interface InboxItemCounts {
  accountId: string
  credentialId: string
  network: string
  itemType: string
  status: string
  assigneeId: string
  items: number
}

export interface InboxItemReads {
  accountId: string
  userId: string
  itemId: string
  seen: Date
}

export interface InboxItemTags {
  accountId: string
  itemId: string
  tagId: string
  created: Date
}

export interface InboxItems {
  accountId: string
  id: string
  created: Date
  modified: Date
  credentialId: string
  network: string
  itemType: 'Conversation' | 'Post' | 'Mention' | 'Reply'
  origin: 'external' | 'owned'
  status: Generated<'open' | 'closed'>
  assigneeId: Generated<string>
  remoteKey: string
  url: Generated<string>
  eventDate: Date
  lastActivity: Date
  personId: string
  personName: Generated<string>
  personUsername: Generated<string>
  personPicture: Generated<string>
  postRemoteId: Generated<string>
  postUrl: Generated<string>
  postText: Generated<string>
  postMedia: ColumnType<unknown, string | undefined, string>
  postlogId: string | null
  text: Generated<string>
  media: ColumnType<unknown, string | undefined, string>
  language: Generated<string>
  entries: Generated<number>
  words: Generated<string>
}

export interface InboxProfiles {
  accountId: string
  credentialId: string
  network: string
  created: Date
  nextPoll: Date
  polled: Date | null
  failures: Generated<number>
  error: Generated<string>
  pushRenew: Date | null
  pushError: Generated<string>
  marker: Generated<string>
}

export interface InboxReadCursors {
  accountId: string
  userId: string
  allBefore: Date
}

export interface InboxReplies {
  accountId: string
  id: string
  itemId: string
  created: Date
  createdBy: string
  credentialId: string
  network: string
  kind: 'message' | 'comment'
  text: string
  mediaIds: Generated<string[]>
  postRemoteId: Generated<string>
  parentRemoteId: Generated<string>
  rootRemoteId: Generated<string>
  personId: Generated<string>
  threadRemoteId: Generated<string>
  lastInbound: Date | null
  status: 'waiting' | 'sent' | 'failed' | 'unconfirmed' | 'withdrawn'
  error: Generated<string>
  remoteId: Generated<string>
  sent: Date | null
  responseSeconds: number | null
}

export interface InboxViews {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  isShared: Generated<boolean>
  position: Generated<number>
  filters: ColumnType<unknown, string | undefined, string>
}

export interface Installation {
  singleton: Generated<boolean>
  created: Date
  demoApiKey: string | null
}

export interface Integrations {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  type: string
  version: Generated<number>
  status: 'valid' | 'invalid'
  statusReason: Generated<string>
  state: 'active' | 'disabled'
  cnameId: string | null
  settingsData: ColumnType<unknown, string | undefined, string>
  secret: string | null
}

export interface JobSchedule {
  name: string
  next: Date
}

export interface JobWorkers {
  id: string
  leaseUntil: Date
}

export interface Jobs {
  id: string
  queue: string
  name: string
  key: string | null
  account: Generated<string>
  payload: ColumnType<unknown, string, string>
  state: Generated<'waiting' | 'running' | 'dead'>
  priority: Generated<number>
  created: Date
  due: Date
  attempts: Generated<number>
  fence: Generated<number>
  worker: string | null
  lastError: string | null
}

export interface LeadActivities {
  accountId: string
  id: string
  leadId: string
  activityDate: Date
  type: string
  network: Generated<string>
  profileId: Generated<string>
  postlogId: string | null
  data: ColumnType<unknown, string | undefined, string>
  source: string
  campaignId: Generated<string>
}

export interface LeadProfiles {
  accountId: string
  leadId: string
  network: string
  remoteId: string
  created: Date
  url: Generated<string>
  username: Generated<string>
}

export interface LeadReferences {
  accountId: string
  leadId: string
  integrationId: string
  remoteIdentifier: Generated<string>
  linkedLeadId: string
}

export interface Leads {
  accountId: string
  id: string
  parentId: string | null
  created: Date
  modified: Date
  type: Generated<string>
  email: Generated<string>
  name: Generated<string>
  firstName: Generated<string>
  lastName: Generated<string>
  photo: Generated<string>
  phone: string | null
  isTracked: Generated<boolean>
  network: Generated<string>
  campaignId: Generated<string>
}

export interface LinkChanges {
  accountId: string
  id: string
  linkId: string
  at: Date
  userId: string
  what: 'destination' | 'disabled' | 'enabled'
  before: string
  after: string
}

export interface LinkHashes {
  hash: string
  account: string
  link: string
  longUrl: string
  params: Generated<string>
  disabled: Generated<boolean>
  changed: Date | null
}

export interface LinkSettings {
  accountId: string
  campaignId: Generated<string>
  modified: Date
  utmSource: string | null
  utmMedium: string | null
  utmCampaign: string | null
  utmTerm: string | null
  utmContent: string | null
  cnameId: string | null
  respectsDoNotTrack: Generated<boolean>
  clickParameter: Generated<string>
}

export interface Links {
  accountId: string
  id: string
  created: Date
  modified: Date
  hash: string
  campaignId: string
  messageId: string
  postId: Generated<string>
  credentialId: string
  network: string
  shareId: Generated<string>
  host: Generated<string>
  originalUrl: string
  longUrl: string
  params: ColumnType<unknown, string | undefined, string>
  disabled: Date | null
  disabledReason: Generated<string>
  countsFor: ColumnType<unknown, string | undefined, string>
}

export interface Media {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  modifiedBy: string
  status: Generated<string>
  type: 'Image' | 'Video' | 'ImageUrl' | 'PDF'
  name: string
  description: Generated<string>
  mimeType: string
  size: number
  folderId: string | null
  digest: string
  token: string
  source: Generated<string>
  width: number | null
  height: number | null
  durationMs: number | null
  framesPerSecond: number | null
  videoCodec: string | null
  audioCodec: string | null
  pages: number | null
  frames: number | null
}

export interface MediaFolders {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  folderId: string | null
}

export interface MediaReferences {
  accountId: string
  mediaId: string
  holder: string
  what: string
}

export interface MediaRenditions {
  accountId: string
  mediaId: string
  maxBytes: number
  maxWidth: number
  created: Date
  digest: string
  size: number
  width: number
  height: number
  token: string
}

export interface MessageMedia {
  accountId: string
  messageId: string
  position: number
  mediaId: string
}

export interface Messages {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  modifiedBy: string
  campaignId: string
  status: Generated<string>
  network: 'Facebook' | 'Twitter' | 'LinkedIn' | 'YouTube' | 'Instagram' | 'TikTok'
  type: 'status-update' | 'link-attachment' | 'media-attachment'
  subject: Generated<string>
  message: string
  imageUrl: Generated<string>
  description: Generated<string>
  linkTitle: Generated<string>
  linkUrl: Generated<string>
  childrenCount: Generated<number>
  isBoardMessage: Generated<boolean>
  deleted: Date | null
  approveStatus: Generated<'Approved' | 'Pending' | 'Rejected'>
  messageLength: number | null
  words: string | null
}

export interface Migrations {
  name: string
  checksum: string
  applied: Generated<Date>
}

export interface NetworkChallenges {
  network: string
  challenged: Date | null
  delivered: Date | null
}

export interface NetworkPublishingPauses {
  network: string
  until: Date
}

export interface NetworkReadPauses {
  network: string
  scope: string
  holder: string
  until: Date
}

export interface NetworkUsage {
  network: string
  budget: string
  period: Date
  purpose: string
  used: number
}

export interface NotificationSettings {
  accountId: string
  userId: string
  emailDaily: Generated<boolean>
  emailWeekly: Generated<boolean>
  emailCampaignComplete: Generated<boolean>
  emailOnNewAssignment: Generated<boolean>
  emailOnNoteAdded: Generated<boolean>
  emailOnNoteMention: Generated<boolean>
  emailOnStatusChange: Generated<boolean>
  sendDailyEmailReport: Generated<boolean>
}

export interface Pictures {
  accountId: string
  digest: Buffer
  fetched: Date
  content: Buffer | null
}

export interface PostCounts {
  accountId: string
  campaignId: string
  createdBy: string
  source: string
  status: string
  posts: number
}

export interface PostMetrics {
  accountId: string
  postId: string
  credentialId: string
  campaignId: string
  messageId: string
  remoteId: string
  published: Date
  due: Date | null
  lastRead: Date | null
  missingSince: Date | null
  error: Generated<string>
  likes: number | null
  comments: number | null
  reshares: number | null
  impressions: number | null
  others: ColumnType<unknown, string | undefined, string>
}

export interface PostMetricsHistory {
  accountId: string
  postId: string
  credentialId: string
  at: Date
  likes: number
  comments: number
  reshares: number
  impressions: number
}

export interface Postlogs {
  accountId: string
  id: string
  created: Date
  modified: Date
  postId: string
  campaignId: string
  messageId: string
  credentialId: string
  network: string
  status: 'success' | 'failed'
  isUnconfirmed: Generated<boolean>
  remoteId: Generated<string>
  remoteUrl: Generated<string>
  error: Generated<string>
  publishedDate: Date | null
}

export interface Posts {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  modifiedBy: string
  status: 'draft' | 'inqueue-draft' | 'pending' | 'inqueue' | 'complete' | 'incomplete' | 'error'
  approveStatus: 'Approved' | 'Pending' | 'Rejected'
  source: 'UI' | 'API' | 'Autoposter' | 'Bookmarklet' | 'Board' | 'Embedded'
  contentSource: Generated<string>
  queued: boolean
  campaignId: string
  boardId: Generated<string>
  messageId: string
  messageChildId: Generated<string>
  network: string
  startDateTime: Date
  credentialIds: string[]
  targetingPresetId: string | null
  groups: Generated<string>
  groupsCount: Generated<number>
  targetGeo: Generated<string>
  updateStatus: Generated<number>
  flag: Generated<string>
  promotion: Generated<'promoted' | 'organic' | 'unknown'>
  utm: Generated<string>
  sent: Date | null
  awaitsMessage: Generated<boolean>
}

export interface ProfileMetrics {
  accountId: string
  credentialId: string
  network: string
  created: Date
  notBefore: Date
  failures: Generated<number>
  error: Generated<string>
  followersDue: Date
}

export interface ProfilePartitions {
  credential: string
  account: string
  network: string
  due: Date | null
  notBefore: Date | null
  wakes: Generated<number>
  worker: string | null
  fence: Generated<number>
}

export interface PushRoutes {
  network: string
  remoteId: string
  account: string
  credentialId: string
}

export interface QuarterHourRollups {
  accountId: string
  ofKind: string
  name: string
  quarter: Date
  ofId: string
  value: number
}

export interface QueueSlots {
  accountId: string
  credentialId: string
  weekday: number
  minutes: number
}

export interface RateLimits {
  day: string
  dayCount: Generated<number>
  blockedUntil: Date | null
  calls: Generated<number[]>
  caller: string
  parts: ColumnType<unknown, string | undefined, string>
}

export interface RestrictedEntities {
  accountId: string
  entityId: string
  created: Date
}

export interface SavedViews {
  accountId: string
  id: string
  userId: string
  created: Date
  modified: Date
  screen: 'calendar' | 'campaigns'
  name: string
  search: string
}

export interface SendingState {
  singleton: Generated<boolean>
  alive: Date
  holdBefore: Date
}

export interface Sends {
  accountId: string
  contentId: string
  credentialId: string
  kind: string
  groupId: Generated<string>
  network: string
  state: 'idle' | 'waiting' | 'late' | 'preparing' | 'sending' | 'unknown' | 'sent' | 'failed' | 'unconfirmed'
  planned: Date
  due: Date | null
  slot: Date | null
  attempts: Generated<number>
  confirmations: Generated<number>
  intent: Date | null
  progress: ColumnType<unknown, string, string> | null
  error: Generated<string>
  fence: Generated<number>
  remoteId: Generated<string>
  isLate: GeneratedAlways<boolean>
}

export interface Sessions {
  accountId: string
  id: string
  userId: string
  created: Date
  lastUsed: Date
  ends: Date
  stays: Generated<boolean>
  address: string
  agent: string
  digest: Buffer
}

export interface Shares {
  accountId: string
  id: string
  created: Date
  modified: Date
  userId: string
  boardId: string
  storyId: string
  messageId: string
  campaignId: string
  credentialId: string
  network: string
  type: string
  message: string
  subject: Generated<string>
  linkUrl: Generated<string>
  linkTitle: Generated<string>
  description: Generated<string>
  imageUrl: Generated<string>
  mediaIds: Generated<string[]>
  repostOf: Generated<string>
  startDateTime: Date
  status: 'pending' | 'complete' | 'error'
  isUnconfirmed: Generated<boolean>
  remoteId: Generated<string>
  remoteUrl: Generated<string>
  error: Generated<string>
  publishedDate: Date | null
}

export interface ShortHosts {
  host: string
  account: string
  cname: string
}

export interface SignInAttempts {
  subject: Buffer
  attempts: number
  last: Date
  known: Date | null
}

export interface SignInLinks {
  accountId: string
  userId: string
  purpose: 'invitation' | 'reset' | 'entry' | 'board'
  created: Date
  ends: Date
  digest: Buffer
}

export interface StoredFiles {
  accountId: string
  digest: string
  bytes: number
  uses: number
  removing: Generated<boolean>
}

export interface Stories {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  modifiedBy: string
  boardId: string
  campaignId: string
  publishDate: Date
  expirationDate: Date
  isFeatured: Generated<boolean>
  title: string | null
  description: Generated<string>
  postlogId: Generated<string>
  type: Generated<'text' | 'post-attachment'>
  status: 'draft' | 'pending' | 'rejected' | 'approved' | 'active'
  imageUrl: string | null
  linkTitle: string | null
  linkUrl: string | null
  linkDescription: string | null
  linkContent: string | null
  altTexts: ColumnType<unknown, string, string> | null
  videoTitle: string | null
  videoPreview: string | null
  videoSubtitle: string | null
  previewFrame: string | null
  workflowId: string | null
  isApproved: Generated<boolean>
  phase: 'draft' | 'pending' | 'rejected' | 'active' | 'scheduled' | 'published' | 'expired'
  phaseEnds: Date | null
  shareCount: Generated<number>
}

export interface StoryCounts {
  accountId: string
  boardId: string
  createdBy: string
  phase: string
  isFeatured: boolean
  isRepost: boolean
  isApproved: boolean
  stories: number
}

export interface StoryMedia {
  accountId: string
  storyId: string
  position: number
  mediaId: string
}

export interface StoryMessages {
  accountId: string
  storyId: string
  messageId: string
  position: number
  given: Generated<number>
}

export interface StoryOffers {
  accountId: string
  storyId: string
  userId: string
  network: string
  messageId: string
  created: Date
}

export interface StoryTopics {
  accountId: string
  storyId: string
  topicId: string
}

export interface StreamFeeds {
  accountId: string
  id: string
  created: Date
  credentialId: string
  network: string
  type: string
  keyword: Generated<string>
  lastViewed: Date
  notBefore: Date
  fetched: Date | null
  failed: Date | null
  failures: Generated<number>
  error: Generated<string>
  lastPosition: Generated<number>
}

export interface StreamItems {
  accountId: string
  feedId: string
  remoteId: string
  position: number
  kind: string
  at: Date
  postId: Generated<string>
  personId: Generated<string>
  personName: Generated<string>
  personUsername: Generated<string>
  personPicture: Generated<string>
  text: Generated<string>
  media: ColumnType<unknown, string | undefined, string>
  url: Generated<string>
}

export interface StreamTabs {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  status: Generated<string>
}

export interface Streams {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  streamTabId: string
  feedId: string
  credentialId: string
  network: string
  type: string
  name: string
  position: number
}

export interface Tags {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  tag: string
  lastUsedDate: Date | null
}

export interface TargetingPresets {
  accountId: string
  id: string
  created: Date
  modified: Date
  credentialId: string
  name: string
  companySize: string[]
  industry: string[]
  function: string[]
  seniority: string[]
  geography: string[]
  language: string[]
}

export interface TeamEntities {
  accountId: string
  entityId: string
  teamId: string
  created: Date
}

export interface Teams {
  accountId: string
  id: string
  created: Date
  modified: Date
  name: string
}

export interface TopicSubscriptions {
  accountId: string
  topicId: string
  userId: string
  boardId: string
  created: Date
}

export interface Topics {
  accountId: string
  id: string
  boardId: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  used: Generated<number>
  subscribers: Generated<number>
  lastUsed: Date | null
}

export interface Uploads {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  status: Generated<'pending' | 'failed' | 'complete'>
  name: string
  mimeType: string
  totalSize: number
  downloaded: Generated<number>
  source: string
  lastError: string | null
  attempts: Generated<number>
  mediaId: string | null
  folderId: string | null
  reserved: number
  etag: string | null
  lastModified: string | null
  acceptsRanges: Generated<boolean>
}

export interface UserEmails {
  email: string
  account: string
  userId: string
}

export interface Users {
  accountId: string
  id: string
  created: Date
  modified: Date
  status: Generated<'active' | 'disabled' | 'deleted'>
  firstName: string
  lastName: string
  name: GeneratedAlways<string>
  email: string
  role: 'admin' | 'publisher' | 'contributor' | 'read' | null
  passwordHash: string | null
  timezone: Generated<string>
  mediaLibrary: Generated<boolean>
  lastLogin: Date | null
  lastBoardLogin: Date | null
  hasBrowserExtension: Generated<boolean>
  linkedInId: Generated<string>
  linkedInName: Generated<string>
  linkedInImageUrl: Generated<string>
  twitterId: Generated<string>
  twitterName: Generated<string>
  twitterImageUrl: Generated<string>
  facebookId: Generated<string>
  facebookName: Generated<string>
  facebookImageUrl: Generated<string>
  invited: Date | null
  invitedBy: Generated<string>
  invitedAdvocate: Generated<boolean>
}

export interface WebhookDeliveries {
  accountId: string
  id: string
  webhookId: string
  eventId: string
  attempts: Generated<number>
  due: Date | null
  lastError: Generated<string>
}

export interface WebhookLog {
  accountId: string
  id: string
  webhookId: string
  webhookPayloadId: string
  eventId: string
  created: Date
  attempt: number
  succeeded: boolean
  responseCode: number
  executionTime: number
  error: string
}

export interface WebhookPartitions {
  webhook: string
  account: string
  due: Date | null
  pace: Generated<'new' | 'fast' | 'slow'>
  wakes: Generated<number>
  worker: string | null
  fence: Generated<number>
}

export interface Webhooks {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  description: string
  event: string
  url: string
  isEnabled: boolean
  isHidden: boolean
  secret: string
  previousSecret: string | null
  previousUntil: Date | null
  lastExecutionDate: Generated<Date>
  failingSince: Date | null
  disabledReason: Generated<string>
}

export interface WorkflowApprovers {
  accountId: string
  stepId: string
  userId: string
}

export interface WorkflowDecisions {
  accountId: string
  itemId: string
  round: number
  stepId: string
  userId: string
  created: Date
  isApprove: boolean
  note: Generated<string>
}

export interface WorkflowItemVersions {
  accountId: string
  itemId: string
  round: number
  created: Date
  createdBy: string
  parts: ColumnType<unknown, string, string>
}

export interface WorkflowItems {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  status: 'pending' | 'approved' | 'rejected' | 'removed'
  entityId: string
  scopeId: string
  messageId: Generated<string>
  postId: Generated<string>
  storyId: Generated<string>
  network: Generated<string>
  workflowId: string
  stepId: string
  round: Generated<number>
  waitingSince: Date
  reminded: Date | null
}

export interface WorkflowNotes {
  accountId: string
  id: string
  created: Date
  modified: Date
  userId: string
  status: Generated<string>
  entityId: string
  text: string
}

export interface WorkflowSteps {
  accountId: string
  id: string
  created: Date
  workflowId: string
  position: number
  name: string
  mustBeApprovedByEveryone: boolean
  removed: Date | null
  approverRoles: Generated<string[]>
}

export interface Workflows {
  accountId: string
  id: string
  created: Date
  modified: Date
  createdBy: string
  name: string
  status: Generated<'active' | 'inactive'>
  isDefault: Generated<boolean>
}

export interface DB {
  accountUsage: AccountUsage
  accounts: Accounts
  apiKeys: ApiKeys
  auditLog: AuditLog
  boardMembers: BoardMembers
  boardMessages: BoardMessages
  boardRankings: BoardRankings
  boardRanks: BoardRanks
  boardSignUps: BoardSignUps
  boardSlugs: BoardSlugs
  boards: Boards
  calendarKeys: CalendarKeys
  campaigns: Campaigns
  cannedResponses: CannedResponses
  clickBatches: ClickBatches
  clicks: Clicks
  cnames: Cnames
  connectOffers: ConnectOffers
  conversationTags: ConversationTags
  conversionTagAccounts: ConversionTagAccounts
  conversionTags: ConversionTags
  conversions: Conversions
  counterRebuilds: CounterRebuilds
  counters: Counters
  credentials: Credentials
  customEventCampaigns: CustomEventCampaigns
  customEvents: CustomEvents
  dailyRollups: DailyRollups
  dashboardFavorites: DashboardFavorites
  dashboardSetups: DashboardSetups
  dashboardTeams: DashboardTeams
  dashboardWidgets: DashboardWidgets
  dashboards: Dashboards
  deletedLeadCounts: DeletedLeadCounts
  digestEmails: DigestEmails
  drafts: Drafts
  entityTags: EntityTags
  eventQueue: EventQueue
  events: Events
  exportRuns: ExportRuns
  exports: Exports
  feedEntries: FeedEntries
  feedHeads: FeedHeads
  feedWaiting: FeedWaiting
  fileReservations: FileReservations
  firstComments: FirstComments
  gauges: Gauges
  idempotencyKeys: IdempotencyKeys
  inboxActivities: InboxActivities
  inboxCases: InboxCases
  inboxEntries: InboxEntries
  inboxItemCounts: InboxItemCounts
  inboxItemReads: InboxItemReads
  inboxItemTags: InboxItemTags
  inboxItems: InboxItems
  inboxProfiles: InboxProfiles
  inboxReadCursors: InboxReadCursors
  inboxReplies: InboxReplies
  inboxViews: InboxViews
  installation: Installation
  integrations: Integrations
  jobSchedule: JobSchedule
  jobWorkers: JobWorkers
  jobs: Jobs
  leadActivities: LeadActivities
  leadProfiles: LeadProfiles
  leadReferences: LeadReferences
  leads: Leads
  linkChanges: LinkChanges
  linkHashes: LinkHashes
  linkSettings: LinkSettings
  links: Links
  media: Media
  mediaFolders: MediaFolders
  mediaReferences: MediaReferences
  mediaRenditions: MediaRenditions
  messageMedia: MessageMedia
  messages: Messages
  migrations: Migrations
  networkChallenges: NetworkChallenges
  networkPublishingPauses: NetworkPublishingPauses
  networkReadPauses: NetworkReadPauses
  networkUsage: NetworkUsage
  notificationSettings: NotificationSettings
  pictures: Pictures
  postCounts: PostCounts
  postMetrics: PostMetrics
  postMetricsHistory: PostMetricsHistory
  postlogs: Postlogs
  posts: Posts
  profileMetrics: ProfileMetrics
  profilePartitions: ProfilePartitions
  pushRoutes: PushRoutes
  quarterHourRollups: QuarterHourRollups
  queueSlots: QueueSlots
  rateLimits: RateLimits
  restrictedEntities: RestrictedEntities
  savedViews: SavedViews
  sendingState: SendingState
  sends: Sends
  sessions: Sessions
  shares: Shares
  shortHosts: ShortHosts
  signInAttempts: SignInAttempts
  signInLinks: SignInLinks
  storedFiles: StoredFiles
  stories: Stories
  storyCounts: StoryCounts
  storyMedia: StoryMedia
  storyMessages: StoryMessages
  storyOffers: StoryOffers
  storyTopics: StoryTopics
  streamFeeds: StreamFeeds
  streamItems: StreamItems
  streamTabs: StreamTabs
  streams: Streams
  tags: Tags
  targetingPresets: TargetingPresets
  teamEntities: TeamEntities
  teams: Teams
  topicSubscriptions: TopicSubscriptions
  topics: Topics
  uploads: Uploads
  userEmails: UserEmails
  users: Users
  webhookDeliveries: WebhookDeliveries
  webhookLog: WebhookLog
  webhookPartitions: WebhookPartitions
  webhooks: Webhooks
  workflowApprovers: WorkflowApprovers
  workflowDecisions: WorkflowDecisions
  workflowItemVersions: WorkflowItemVersions
  workflowItems: WorkflowItems
  workflowNotes: WorkflowNotes
  workflowSteps: WorkflowSteps
  workflows: Workflows
}
