import { afterAll, beforeAll, expect, test } from 'vitest'
import { incrementCounters } from '#areas/counters/increments.ts'
import { incrementsOf } from '#areas/links/click/click-counters.ts'
import type { Database } from '#kernel/database/database.ts'
import { registry } from '#main/registry.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { deep, randomness } from '../../../../tests/support/randomness.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { randomActivity } from './random-activity.fixture.ts'
import { differences, rebuild, same, storedCounters } from './rebuilding.fixture.ts'
import { type MeasureName, measures, referenceReport, type SlowReportRequest } from './slow-report.fixture.ts'

const seed = Number(process.env.REPORT_SEED ?? 11)
const questions = Number(process.env.REPORT_QUESTIONS ?? deep(24, 60))
const many = deep(400, 1500)
const conversionTag = '0ctdemo00000001'

let service: TestService
let database: Database
let campaigns: string[]
let profiles: { id: string; network: string }[]
const chance = randomness(seed)
const pick = <Value>(values: readonly Value[]) => values[Math.floor(chance() * values.length)] as Value

const query = <Row extends object>(text: string, values: unknown[] = []) =>
  ownerQuery<Row>(service.databaseUrl, text, values)

/** Around the turn of the year and daylight saving changes, in both hemispheres. */
const windows = ['2025-12-28', '2026-03-07', '2026-03-28', '2026-04-04', '2026-10-24', '2026-10-31']
const zones = [
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Asia/Tokyo',
  'America/Havana',
  'UTC',
]
const countries = ['Norway', 'Peru', 'Japan', '']
const authors = ['00Ademo00000001', '00Ademo00000002', '']
const moment = () => new Date(Date.parse(`${pick(windows)}T00:00:00Z`) + Math.floor(chance() * 5 * 86_400_000))
let others: ReturnType<typeof randomActivity>

beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 4 })
  const rows = await query<{ id: string }>('select id from campaigns where account_id = $1 order by id limit 6', [
    demoAccount,
  ])
  campaigns = rows.map(({ id }) => id)
  profiles = await query('select id, network from credentials where account_id = $1 order by id limit 6', [demoAccount])
  await query('delete from conversions where account_id = $1', [demoAccount])
  await query('delete from clicks where account_id = $1', [demoAccount])
  for (let from = 0; from < many; from += 100) await happen(from, 100)
  others = randomActivity(database, { profiles, campaigns: [...campaigns, ''], authors, moment, chance })
  await others.inbox(deep(20, 60))
  await others.leads(deep(40, 200))
  // Corrections subtract their increments; other losses are found by the rebuild.
  await removeRows(40)
  await query(
    `delete from clicks c where account_id = $1 and id like '009rr%7' and not exists (
       select from conversions v where v.account_id = c.account_id and v.click_id = c.id)`,
    [demoAccount],
  )
  await others.lose(2)
  // Updates planner statistics after the inserts.
  await query('analyze')
  await rebuild(database)
  // Late, and never rebuilt.
  await others.inbox(5)
  await others.leads(10)
  await removeSome()
  await service.admin(`POST /team-entity/${campaigns[1]}`, { body: { teamIds: '025demo00000001' } })
  await service.admin(`DELETE /campaign/${campaigns[2]}`)
})
afterAll(async () => {
  await database.close()
  await service.stop()
})

interface Happened {
  id: string
  at: Date
  converted: Date | undefined
  campaignId: string
  profile: { id: string; network: string }
  country: string
}

const known = new Map<string, Happened>()

/** Clicks and conversions with their increments; later ones may precede earlier ones. */
async function happen(from: number, count: number) {
  const clicks = Array.from({ length: count }, (_, index): Happened => {
    const at = moment()
    const converted = chance() < 0.3 ? new Date(at.getTime() + Math.floor(chance() * 90_000_000)) : undefined
    const id = `009rr${String(from + index).padStart(10, '0')}`
    return { id, at, converted, campaignId: pick(campaigns), profile: pick(profiles), country: pick(countries) }
  })
  for (const click of clicks) known.set(click.id, click)
  const nowhere = { linkId: '', messageId: '', postId: '' }
  const clicked = clicks.map(({ id, at, campaignId, profile, country }) => ({
    ...nowhere,
    accountId: demoAccount,
    id,
    created: at,
    campaignId,
    country,
    credentialId: profile.id,
    network: profile.network,
    class: 'human' as const,
    visitorId: '',
  }))
  const converted = clicks.flatMap(({ id, converted }) =>
    converted
      ? [{ accountId: demoAccount, clickId: id, conversionTagId: conversionTag, created: converted, value: '0' }]
      : [],
  )
  // Rows and counters in one transaction, as everywhere.
  await database.transaction(demoAccount, async (db) => {
    await db.insertInto('clicks').values(clicked).execute()
    await db.insertInto('conversions').values(converted).execute()
    await incrementCounters({ db, accountId: demoAccount }, clicks.flatMap(incrementsFor))
  })
}

function incrementsFor({ at, converted, campaignId, profile, country }: Happened) {
  const counted = {
    accountId: demoAccount,
    messageId: '',
    postId: '',
    credentialId: profile.id,
    linkId: '',
    campaignId,
    network: profile.network,
    country,
    author: '',
    isBoard: false,
    countsFor: {},
  }
  return [...incrementsOf('clicks', at, counted), ...(converted ? incrementsOf('converts', converted, counted) : [])]
}

async function removeRows(count: number) {
  const removed = [...known.values()].filter(() => chance() < 0.1).slice(0, count)
  await query('delete from conversions where account_id = $1 and click_id = any ($2)', [
    demoAccount,
    removed.map(({ id }) => id),
  ])
  await query('delete from clicks where account_id = $1 and id = any ($2)', [demoAccount, removed.map(({ id }) => id)])
  await database.transaction(demoAccount, (db) =>
    incrementCounters(
      { db, accountId: demoAccount },
      removed.flatMap(incrementsFor).map((increment) => ({ ...increment, amount: -1 })),
    ),
  )
}

/** Deleted people stay counted, removed activities don't. */
async function removeSome() {
  const some = (table: string) =>
    query<{ id: string }>(`select id from ${table} where account_id = $1 and id ~ 'rr.*[1-4]$'`, [demoAccount])
  const removed = [...(await some('lead_activities')), ...(await some('leads'))]
  expect(removed.length).toBeGreaterThan(15)
  for (const { id } of removed) {
    const path = id.startsWith('0la') ? 'lead-activity' : 'lead'
    expect((await service.admin(`DELETE /${path}/${id}`)).status).toBe(200)
  }
}

const counters = () => storedCounters(service.databaseUrl)

/** `2026-03-29T02:00+01:00` with the offset in minutes. */
function hourOf(label: string): string {
  const [sign, hours, minutes] = [label.charAt(16), Number(label.slice(17, 19)), Number(label.slice(20))]
  return `${label.slice(0, 16)} ${(sign === '-' ? -1 : 1) * (hours * 60 + minutes)}`
}

const wireName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

type Said = { [key: string]: string | number | null }

/** Every measure, unit and zone in turn, the rest at random. */
const inTurn = <Value>(values: readonly Value[], number: number) => values[number % values.length] as Value

function question(number: number): SlowReportRequest {
  const measure = inTurn(Object.keys(measures) as MeasureName[], number)
  const { source, dimensions } = measures[measure]
  const unit = inTurn(['hour', 'day', 'week', 'month', undefined] as const, number)
  const first = Date.parse(`${pick(windows)}T00:00:00Z`) + Math.floor((chance() - 0.5) * 6) * 86_400_000
  const length = unit === 'hour' ? 1 + chance() * 9 : unit === 'day' ? 1 + chance() * 60 : 1 + chance() * 400
  const dimension = pick([...dimensions, undefined])
  const filters = pick<{ [name: string]: string }>([
    {},
    {},
    { network: pick(profiles).network },
    ...(source === 'inbox'
      ? [{ author: pick(authors.slice(0, 2)) }, { profile: pick(profiles).id }]
      : [{ campaign: pick(campaigns) }, { tag: '0AFdemo00000001' }]),
    ...(source === 'click' || source === 'conversion' ? [{ country: 'Peru' }] : []),
  ])
  const asksClicks = dimension === 'country' || 'country' in filters
  const last = first + Math.floor(asksClicks ? Math.min(length, 90) : length) * 86_400_000
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  return { measure, unit, dimension, from: day(first), to: day(last), filters }
}

test('reports equal a recount of single rows in every zone, unit, grouping and filter, for admins and others', async () => {
  let nonEmpty = 0
  for (let number = 0; number < questions; number++) {
    const zone = inTurn(zones, number)
    const { measure, ...request } = question(number)
    const isRestricted = chance() < 0.4
    await query(`update users set timezone = $2 where account_id = $1`, [demoAccount, zone])
    const as = isRestricted ? service.contributor : service.admin
    const body = { ...request, source: measures[measure].source, measures: [measure], top: 100 }
    const { status, json } = await as('POST /app/api/report', { body })
    expect([status, json.Errors, body]).toEqual([200, undefined, body])
    const reported = new Map<string, number>()
    for (const row of json.Data as Said[]) {
      const value = row[wireName(measure)] as number | null
      const time = request.unit === 'hour' ? hourOf(String(row.Time)) : (row.Time ?? '')
      if (value) reported.set(`${time} ${request.dimension ? row[wireName(request.dimension)] : ''}`, value)
    }
    const real = await referenceReport(
      service.databaseUrl,
      zone,
      { measure, ...request },
      isRestricted ? campaigns[1] : undefined,
    )
    const failureContext = { body, zone, isRestricted }
    expect({ ...failureContext, rows: [...reported].sort() }, JSON.stringify(failureContext)).toEqual({
      ...failureContext,
      rows: [...real].sort(),
    })
    if (real.size > 0) nonEmpty++
  }
  expect(nonEmpty).toBeGreaterThan(questions / 4)
})

test('a rebuild changes nothing that is correct, and repairs errors during concurrent counting', async () => {
  const before = await counters()
  await rebuild(database)
  expect(differences(before, await counters())).toEqual(same)
  // Network metrics aren't recounted.
  const recounted = registry.recounts.flatMap(({ names }) => names)
  await query(
    `delete from quarter_hour_rollups where account_id = $1 and of_kind in ('network', 'cell') and name = any ($2)`,
    [demoAccount, recounted],
  )
  await query(
    `update daily_rollups set value = value + 3 where account_id = $1 and of_kind = 'campaign' and name = 'clicks'`,
    [demoAccount],
  )
  await Promise.all([
    rebuild(database),
    rebuild(database),
    happen(many, 20),
    happen(many + 20, 20),
    others.inbox(5),
    others.leads(10),
  ])
  const after = await counters()
  await rebuild(database)
  expect(differences(after, await counters())).toEqual(same)
  expect(after.length).toBeGreaterThan(before.length)
})
