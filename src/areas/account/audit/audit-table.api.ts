import type { z } from 'zod'
import { contextOf } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { csvLine } from '#kernel/csv.ts'
import type { Download, DownloadRoute } from '#kernel/http/route/download-route.ts'
import type { Installation } from '#kernel/installation.ts'
import { list } from './audit.ts'
import { deedFilters } from './audit-shape.ts'

export const auditTable: Download = {
  path: '/audit.csv',
  operationId: 'exportAuditLog',
  summary: 'Get the audit log as CSV, latest first, with the filters of GET /app/api/audit',
  needs: 'administer',
  params: deedFilters,
  type: 'text/csv; charset=utf-8',
}

export const auditRoute = (installation: Installation): DownloadRoute => ({
  ...auditTable,
  async open(identity, wish: z.output<typeof deedFilters>) {
    const { database, clock } = installation
    const never = () => {
      throw new Error('What only reads has nothing to announce.')
    }
    const db = database.forAccount(identity.accountId)
    const actor = { ...identity, now: clock.now(), auditEntry: undefined }
    const context = contextOf(installation, actor, { db, announce: never, about: never, notifyChange: never })
    return { body: lines(context, wish), name: `audit-${clock.now().toISOString().slice(0, 10)}.csv` }
  },
})

const columns = 'Created,UserId,UserName,Via,ViaId,Address,Operation,EntityId,Fields,Count,Refused\r\n'
const atOnce = 500
/** Within the limits of spreadsheets; larger exports have to be split by date. */
const most = 500_000

/** Read page by page with backpressure: no statement lasts longer than one page. */
async function* lines(context: Context, wish: z.output<typeof deedFilters>): AsyncGenerator<Iterable<string>> {
  yield [columns]
  let after: string | undefined
  for (let written = 0; written < most; written += atOnce) {
    const { items, next } = await list(context, { ...wish, _after: after, _count: atOnce })
    yield linesOf(items)
    if (next === null) return
    after = next
  }
}

function* linesOf(deeds: readonly Deed[]): Iterable<string> {
  for (const deed of deeds) yield lineOf(deed)
}

type Deed = Awaited<ReturnType<typeof list>>['items'][number]

const lineOf = ({ created, userId, userName, via, viaId, address, operation, ...deed }: Deed) =>
  csvLine([
    created.toISOString().slice(0, 19).replace('T', ' '),
    userId,
    userName,
    via,
    viaId,
    address,
    operation,
    deed.entityId,
    deed.fields.join(' '),
    deed.count,
    deed.refused ? 1 : 0,
  ])
