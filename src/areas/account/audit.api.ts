import { z } from 'zod'
import { ways } from '#kernel/caller.ts'
import { contextOf } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { csvLine } from '#kernel/csv.ts'
import type { Download, DownloadRoute } from '#kernel/http/route/download-route.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import type { Installation } from '#kernel/installation.ts'
import { choice, datetime, flag, integer, listOf, nullableText, shape, text } from '#kernel/wire/fields.ts'
import { idFilter } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { list } from './audit.ts'
import { accountIds } from './declarations.ts'

const AuditEntry = shape('AuditEntry', {
  Id: text,
  Created: datetime,
  UserId: text,
  UserName: text,
  Via: choice(ways),
  ViaId: text,
  Address: text,
  Operation: text,
  EntityId: text,
  Fields: listOf(text),
  Count: integer,
  Refused: flag,
})

const changeable = [
  ...['user', 'team', 'session', 'webhook', 'webhookPayload', 'tag', 'campaign', 'message', 'post'],
  ...['postlog', 'workflow', 'workflowItem', 'customEvent', 'media', 'mediaFolder', 'upload'],
  ...['credential', 'targetingPreset', 'link', 'conversionTag', 'cname', 'streamTab', 'stream'],
]
const anything = params.idOfAny(
  changeable.map((name) => ({ name })),
  { min: 0 },
)

/** Of the list and of the CSV file. */
const filters = z.object({
  userId: idFilter(accountIds.user).optional(),
  operation: params.lineList({ max: 50 }).optional(),
  id: anything.optional(),
  via: params.word(ways).optional(),
  from: momentOrNone.optional(),
  to: momentOrNone.optional(),
})

export const endpoints = [
  appEndpoint('GET /audit', {
    operationId: 'listAuditEntries',
    summary: 'List audit entries, latest first; continue with _after and a page’s Next',
    needs: 'administer',
    params: filters.extend({
      _after: params.line({ min: 0, max: 15 }).optional(),
      _count: params.count(1, 100).optional(),
    }),
    reply: parts({ Items: listOf(AuditEntry), Next: nullableText }),
    run: list,
  }),
]

export const auditTable: Download = {
  path: '/audit.csv',
  operationId: 'exportAuditLog',
  summary: 'Get the audit log as CSV, latest first, with the filters of GET /app/api/audit',
  needs: 'administer',
  params: filters,
  type: 'text/csv; charset=utf-8',
}

export const auditRoute = (installation: Installation): DownloadRoute => ({
  ...auditTable,
  async open(identity, search: z.output<typeof filters>) {
    const { database, clock } = installation
    const never = () => {
      throw new Error('What only reads has nothing to announce.')
    }
    const db = database.forAccount(identity.accountId)
    const actor = { ...identity, now: clock.now(), auditEntry: undefined }
    const context = contextOf(installation, actor, {
      db,
      attempt: 1,
      announce: never,
      about: never,
      notifyChange: never,
    })
    return { body: lines(context, search), name: `audit-${clock.now().toISOString().slice(0, 10)}.csv` }
  },
})

const columns = 'Created,UserId,UserName,Via,ViaId,Address,Operation,EntityId,Fields,Count,Refused\r\n'
const atOnce = 500
/** Within the limits of spreadsheets; larger exports have to be split by date. */
const most = 500_000

/** Read page by page with backpressure: no statement lasts longer than one page. */
async function* lines(context: Context, search: z.output<typeof filters>): AsyncGenerator<Iterable<string>> {
  yield [columns]
  let after: string | undefined
  for (let written = 0; written < most; written += atOnce) {
    const { items, next } = await list(context, { ...search, _after: after, _count: atOnce })
    yield linesOf(items)
    if (next === null) return
    after = next
  }
}

function* linesOf(entries: readonly Entry[]): Iterable<string> {
  for (const entry of entries) yield lineOf(entry)
}

type Entry = Awaited<ReturnType<typeof list>>['items'][number]

const lineOf = ({ created, userId, userName, via, viaId, address, operation, ...entry }: Entry) =>
  csvLine([
    created.toISOString().slice(0, 19).replace('T', ' '),
    userId,
    userName,
    via,
    viaId,
    address,
    operation,
    entry.entityId,
    entry.fields.join(' '),
    entry.count,
    entry.refused ? 1 : 0,
  ])
