import { clickRows, conversionRows, linkRows } from './link-rows.ts'
import { advocateRows, inboxRows, leadRows } from './people-rows.ts'
import { campaignRows, postRows } from './publishing-rows.ts'
import type { ExportType, ReadRows } from './source.ts'

/** Where the rows of each type come from; `row-shape.ts` says how they look. */
export const sources: { readonly [type in ExportType]: ReadRows } = {
  Posts: postRows,
  Clicks: clickRows,
  Conversions: conversionRows,
  Links: linkRows,
  Campaigns: campaignRows,
  Advocates: advocateRows,
  Leads: leadRows,
  Inbox: inboxRows,
}
