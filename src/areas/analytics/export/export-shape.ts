import { z } from 'zod'
import {
  choice,
  datetime,
  flag,
  integer,
  type JsonSchema,
  optional,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { texts } from '#kernel/wire/structured-params.ts'
import { analyticsIds } from '../declarations.ts'
import { destinationFields, destinationTypes } from './destination/destination.ts'
import { exportTypes } from './row-sources.ts'
import { frequencies, timeRanges } from './schedule.ts'

export const exportStatuses = ['active', 'inactive'] as const

/** Fields by type, as named in the contract. */
const contractDestination = {
  AccountName: optional(text),
  Container: optional(text),
  Email: optional(text),
  FirstName: optional(text),
  LastName: optional(text),
  Host: optional(text),
  Port: optional(integer),
  Timeout: optional(integer),
  Directory: optional(text),
  Username: optional(text),
  Password: optional(text),
  BucketName: optional(text),
  Path: optional(text),
}

const Destination = shape('ExportDestination', contractDestination)
const FullDestination = shape('FullExportDestination', {
  ...contractDestination,
  Secure: optional(flag),
  HostKey: optional(text),
  Endpoint: optional(text),
  Region: optional(text),
  AccessKey: optional(text),
  SecretKey: optional(text),
  Key: optional(text),
})

const listed = {
  Id: text,
  DestinationType: choice(destinationTypes),
  Destination,
  Type: choice(exportTypes),
  Frequency: text,
  TimeRange: text,
  Status: choice(exportStatuses),
}

export const ListedExport = shape('ListedExport', listed)
export const Export = shape('Export', { ...listed, LastRunDate: zeroDatetime, LastRunFile: text })

/** For the console, with all editable fields. */
export const OwnExport = shape('OwnExport', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  CreatedBy: text,
  Type: choice(exportTypes),
  DestinationType: choice(destinationTypes),
  Destination: FullDestination,
  Status: choice(exportStatuses),
  Frequency: choice(frequencies),
  Weekday: integer,
  MonthDay: integer,
  Hour: integer,
  Timezone: text,
  FrequencyText: text,
  TimeRange: choice(timeRanges),
  TimeRangeText: text,
  NextRunDate: zeroDatetime,
  LastRunDate: zeroDatetime,
  LastRunFile: text,
})

export const ExportRun = shape('ExportRun', {
  Id: text,
  ExportId: text,
  Created: datetime,
  CreatedBy: text,
  Starts: datetime,
  Ends: datetime,
  Status: choice(['waiting', 'writing', 'delivering', 'done', 'failed']),
  Attempts: integer,
  Error: text,
  FileName: text,
  Rows: integer,
  Unreadable: integer,
  Bytes: integer,
  Finished: zeroDatetime,
  File: text,
})

const fields = Object.fromEntries(destinationFields.map((name) => [name, {}])) as {
  readonly [name in (typeof destinationFields)[number]]: JsonSchema
}

/** Writable fields. */
export const exportDraft = z.object({
  type: params.word(exportTypes),
  destinationType: params.word(destinationTypes, { S3: 'S3_bucket' }),
  destination: texts(fields),
  frequency: params.word(frequencies).optional(),
  weekday: params.count(0, 6).optional(),
  monthDay: params.count(1, 28).optional(),
  hour: params.count(0, 23).optional(),
  timezone: params.timezone.optional(),
  timeRange: params.word(timeRanges).optional(),
  status: params.word(exportStatuses).optional(),
})
export const exportChanges = exportDraft.partial().extend({ id: params.pathId(analyticsIds.export) })
export type ExportDraft = z.output<typeof exportDraft>
export type ExportChanges = z.output<typeof exportChanges>
