import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { mediaIds } from '#areas/media/declarations.ts'
import {
  boolean,
  choice,
  datetime,
  integer,
  json,
  listOf,
  nullableInteger,
  nullableText,
  numericText,
  shape,
  text,
  textsOrFalse,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import { elements, listSchema, param, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { counts, objectList } from '#kernel/wire/structured-params.ts'
import { connectedNetworks } from '#networks/manifests.ts'
import { advocacyIds } from '../declarations.ts'

const statuses = ['active', 'archived'] as const
const kinds = ['stories', 'messages'] as const
export const boardRoles = ['contributor', 'manager'] as const
const positions = ['left', 'center', 'right'] as const
const periods = ['week', 'month', 'quarter', 'year', 'all'] as const

export const Board = shape('Board', {
  Id: text,
  Name: text,
  Status: choice(statuses),
  Created: datetime,
  UsersCount: integer,
  Config: shape('BoardConfig', {
    Color: text,
    DefaultExpiration: text,
    IconId: text,
    IsAllowSuggestionsEnabled: boolean,
    IsLeaderboardEnabled: boolean,
    LogoId: text,
    LogoPosition: choice(positions),
    NotificationsDay: nullableText,
    NotificationsEnabled: boolean,
    NotificationsTimeUTC: text,
    PostAddress: text,
    SignUpDomains: textsOrFalse,
    SignUpEnabled: boolean,
    Slug: text,
    Terms: text,
  }),
})

export const NamedOption = shape('NamedOption', { Id: text, Name: text })
const CustomField = shape('CustomField', { Id: text, Name: text, Options: listOf(NamedOption) })

/** All settings of a board, named like its columns. */
export const BoardSettings = shape('BoardSettings', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  CreatedBy: text,
  ModifiedBy: text,
  Name: text,
  Status: choice(statuses),
  Kind: choice(kinds),
  Seats: nullableInteger,
  Members: integer,
  DefaultExpiration: text,
  DefaultRole: choice(boardRoles),
  Color: text,
  IconId: text,
  LogoId: text,
  LogoPosition: choice(positions),
  AllowsSuggestions: boolean,
  LeaderboardEnabled: boolean,
  LeaderboardPeriod: choice(periods),
  NotificationsEnabled: boolean,
  NotificationsDay: nullableInteger,
  NotificationsHour: integer,
  NotificationsZone: text,
  PostAddress: text,
  SignUpEnabled: boolean,
  SignUpDomains: listOf(text),
  Slug: text,
  Terms: text,
  NeedsPassword: boolean,
  CustomFields: listOf(CustomField),
  ShareWindow: integer,
  DailyCaps: json,
})

const color = param({ type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }, (raw) => {
  const value = scalar(raw).trim()
  return /^#[0-9A-Fa-f]{6}$/.test(value) ? value.toUpperCase() : refuse('must be a colour such as #2F6F4E')
})

const slug = param({ type: 'string', minLength: 2, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }, (raw) => {
  const value = scalar(raw).trim().toLowerCase()
  const isOne = /^[a-z0-9-]{2,64}$/.test(value) && !value.startsWith('-') && !value.endsWith('-')
  return isOne ? value : refuse('must be 2 to 64 letters, digits and hyphens, with a hyphen at neither end')
})

const expiration = param({ type: 'string', description: 'in_N_days, in_N_weeks or in_N_months.' }, (raw) => {
  const value = scalar(raw).trim()
  return /^in_[1-9]\d{0,2}_(days|weeks|months)$/.test(value)
    ? value
    : refuse('must be such as in_6_months or in_10_days')
})

const mostDomains = 50

const domains = param<string[], readonly string[] | string>(
  listSchema({ type: 'string' }, { max: mostDomains }),
  (raw) => {
    const names = [...new Set(elements(raw).map((name) => scalar(name).trim().toLowerCase()))].filter(Boolean)
    if (names.length > mostDomains) refuse(`must not hold more than ${mostDomains} domains`)
    const wrong = names.find((name) => name.length > 253 || !/^[a-z0-9.-]+$/.test(name) || !name.includes('.'))
    if (wrong !== undefined) refuse(`must hold domains such as example.com; "${wrong.slice(0, 40)}" is none`)
    return names
  },
)

const addressOrNone = param({ type: 'string', maxLength: 254 }, (raw) => {
  const text = scalar(raw).trim()
  const { success, data } = params.email.safeParse(text)
  return text === '' ? '' : success ? data : refuse('must be a valid email address')
})

/** A field and an option keep their ids as long as they keep their names. */
const customField = z.object({ name: params.line({ max: 64 }), options: params.lineList({ max: 100 }) })

/** Writable settings; columns of its row, except custom fields. */
const written = z.object({
  name: params.line({ max: 128 }),
  seats: params.countOrNone(0, 1_000_000).optional(),
  defaultExpiration: expiration.optional(),
  defaultRole: params.word(boardRoles).optional(),
  color: color.optional(),
  iconId: params.idOf(mediaIds.media, { min: 0 }).optional(),
  logoId: params.idOf(mediaIds.media, { min: 0 }).optional(),
  logoPosition: params.word(positions).optional(),
  allowsSuggestions: params.flag.optional(),
  leaderboardEnabled: params.flag.optional(),
  leaderboardPeriod: params.word(periods).optional(),
  notificationsEnabled: params.flag.optional(),
  notificationsDay: params.countOrNone(0, 6).optional(),
  notificationsHour: params.count(0, 23).optional(),
  notificationsZone: params.timezone.optional(),
  postAddress: addressOrNone.optional(),
  signUpEnabled: params.flag.optional(),
  signUpDomains: domains.optional(),
  slug: slug.optional(),
  terms: params.text({ max: 20_000 }).optional(),
  needsPassword: params.flag.optional(),
  customFields: objectList(customField, { max: 20 }).optional(),
  shareWindow: params.count(0, 1440).optional(),
  dailyCaps: counts(connectedNetworks, 1, 1_000_000).optional(),
})

export const boardDraft = written.extend({ kind: params.word(kinds).optional() })
export const boardChanges = written.partial().extend({
  id: params.pathId(scopeIds.board),
  status: params.word(statuses).optional(),
})
export type BoardDraft = z.output<typeof boardDraft>
export type BoardChanges = z.output<typeof boardChanges>

export const Topic = shape('Topic', {
  Id: text,
  Name: text,
  BoardId: text,
  Used: numericText,
  Subscribers: numericText,
  LastUsedDate: zeroDatetime,
})

const topicName = z.object({ name: params.line({ max: 128 }) })

export const topicDraft = topicName.extend({ boardId: params.idOf(scopeIds.board) })
export const topicChanges = topicName.extend({ id: params.pathId(advocacyIds.topic) })
export type TopicDraft = z.output<typeof topicDraft>
export type TopicChanges = z.output<typeof topicChanges>
