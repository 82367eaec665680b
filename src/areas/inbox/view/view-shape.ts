import { z } from 'zod'
import { accountIds } from '#areas/account/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import { flag, integer, listOf, nullableText, optional, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { filters, ids, words } from '#kernel/wire/structured-params.ts'
import { connectedNetworks, networkSpellings } from '#networks/manifests.ts'
import { inboxIds } from '../declarations.ts'
import { itemStatuses, itemTypes } from '../item/item-shape.ts'

const ViewFilters = shape(undefined, {
  Types: optional(listOf(text)),
  Statuses: optional(listOf(text)),
  Networks: optional(listOf(text)),
  AssigneeIds: optional(listOf(text)),
  CredentialIds: optional(listOf(text)),
  TagIds: optional(listOf(text)),
  Q: optional(text),
  IsUnread: optional(flag),
})

export const InboxView = shape('InboxView', {
  Id: text,
  Name: text,
  IsStandard: flag,
  IsShared: flag,
  CreatedBy: nullableText,
  Filters: ViewFilters,
})

/** With its counts; capped for very common terms, tags and unread items. */
export const CountedView = shape('CountedInboxView', {
  Id: text,
  Name: text,
  IsStandard: flag,
  IsShared: flag,
  CreatedBy: nullableText,
  Filters: ViewFilters,
  Total: integer,
  Unread: integer,
  UnreadIsMore: flag,
})

const written = z.object({
  name: params.line({ max: 64 }),
  isShared: params.flag.optional(),
  filters: filters({
    types: words(itemTypes),
    statuses: words(itemStatuses),
    networks: words(connectedNetworks, networkSpellings),
    assigneeIds: ids(accountIds.user),
    credentialIds: ids(profileKey),
    tagIds: ids(inboxIds.conversationTag),
    q: params.line({ min: 0 }),
    isUnread: params.flag,
  }).optional(),
})

export const viewDraft = written
export const viewChanges = written.partial().extend({ id: params.pathId(inboxIds.inboxView) })
export type ViewDraft = z.output<typeof viewDraft>
export type ViewChanges = z.output<typeof viewChanges>
