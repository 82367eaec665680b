import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../behaviour/faults.ts'
import type { Call } from '../http/request.ts'
import { type Answer, escaped, html, json, page } from '../http/response.ts'
import { matchRoute, type Route, route } from '../http/router.ts'
import { type CrmKind, type CrmRecord, crmKinds } from '../state/rows.ts'

const mostFields = 100

/** What a request says of a record: plain values under names, without what the CRM itself knows. */
function fieldsOf(given: unknown): CrmRecord['fields'] | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const entries = Object.entries(given).filter(([name]) => !own.has(name))
  return entries.length > mostFields ? undefined : (Object.fromEntries(entries) as CrmRecord['fields'])
}

const own = new Set(['id', 'key', 'url', 'createdAt', 'changedAt'])

/** As the CRM shows it. */
const shown = ({ kind, id, key, fields, createdAt, changedAt }: CrmRecord, origin: string) => ({
  ...fields,
  id,
  createdAt,
  changedAt,
  url: `${origin}/crm/${kind}/${id}`,
  ...(key !== undefined && { key }),
})

/** A small CRM of the sandbox's own, with leads, contacts and cases. */

const prefix = '/crm'
const token = 'sandbox-crm-token'

export const isCrm = ({ path }: Call) => path === prefix || path.startsWith(`${prefix}/`)

export async function serveCrm(call: Call): Promise<Answer | 'lost'> {
  const path = call.path.slice(prefix.length)
  const shownPage = matchRoute(pages, call.method, path)
  if (shownPage) return shownPage.route.handle({ ...call, params: shownPage.params })
  if (call.headers.authorization !== `Bearer ${token}`) return json({ error: 'Send your token as a bearer.' }, 401)
  const match = matchRoute(routes, call.method, path)
  if (!match) return json({ error: `There is no ${call.method} ${path}.` }, 404)
  call.params = match.params
  const fault = call.world.faults.take('CRM', undefined, 'crm')
  if (fault?.fault === 'delay') await sleep(fault.delayMs)
  const answer = (fault && refusal(fault)) ?? (await match.route.handle(call))
  if (fault?.fault === 'lost-answer') return 'lost'
  return fault?.answer ?? answer
}

/** What is answered in the place of doing something. */
function refusal({ fault, answer, afterEffect }: Fault): Answer | undefined {
  if (fault === 'answer') return afterEffect ? undefined : answer
  if (fault === 'rate-limit') return json({ error: 'Too many calls.' }, 429, { 'retry-after': '1' })
  if (fault === 'server-error') return json({ error: 'Something broke.' }, 503)
  if (fault === 'token-expired' || fault === 'token-revoked')
    return json({ error: 'The token is not valid any more.' }, 401)
  return undefined
}

const crmRoute = (method: string, path: string, handle: Route['handle']) => route(method, path, 'crm', handle)

const people: CrmKind[] = ['leads', 'contacts']

const routes: Route[] = [
  crmRoute('GET', '/v1/me', () => json({ organisation: 'Sandbox CRM' })),
  ...people.flatMap((kind) => [
    crmRoute('GET', `/v1/${kind}`, (call) => searchRecords(call, kind)),
    crmRoute('POST', `/v1/${kind}`, (call) => handleCreate(call, kind)),
    crmRoute('GET', `/v1/${kind}/by-email/:email`, (call) => byEmail(call, kind)),
    crmRoute('PATCH', `/v1/${kind}/:id`, (call) => updateRecord(call, kind)),
  ]),
  ...crmKinds.map((kind) => crmRoute('GET', `/v1/${kind}/:id`, (call) => getRecord(call, kind))),
  crmRoute('PUT', '/v1/cases/by-key/:key', saveCase),
]

const pages: Route[] = crmKinds.map((kind) =>
  crmRoute('GET', `/${kind}/:id`, (call) => {
    const record = call.world.crm.get(`${kind}/${call.params.id}`)
    if (!record) return html(page('Sandbox CRM', '<p>There is no such record.</p>'), 404)
    const rows = Object.entries(shown(record, call.origin)).map(
      ([name, value]) => `<tr><th>${escaped(name)}<td>${escaped(String(value))}`,
    )
    return html(page('Sandbox CRM', `<table>${rows.join('')}</table>`))
  }),
)

const notFound = () => json({ error: 'There is no such record.' }, 404)

function getRecord({ world, params, origin }: Call, kind: CrmKind): Answer {
  const record = world.crm.get(`${kind}/${params.id}`)
  return record ? json(shown(record, origin)) : notFound()
}

function byEmail({ world, params, origin }: Call, kind: CrmKind): Answer {
  const record = world.crm.find((one) => one.kind === kind && sameText(one.fields.email, params.email ?? ''))
  return record ? json(shown(record, origin)) : notFound()
}

function searchRecords({ world, query, origin }: Call, kind: CrmKind): Answer {
  const word = (query.get('search') ?? '').toLowerCase()
  const found = world.crm
    .all()
    .filter((one) => one.kind === kind && JSON.stringify(one.fields).toLowerCase().includes(word))
  return json({ total: found.length, records: found.slice(0, 50).map((record) => shown(record, origin)) })
}

/** One address is one record. */
function handleCreate(call: Call, kind: CrmKind): Answer {
  const fields = fieldsOf(bodyOf(call))
  if (!fields) return json({ error: 'Send the record as a JSON object.' }, 400)
  if (typeof fields.email !== 'string' || !fields.email.includes('@')) return json({ error: 'email is missing.' }, 400)
  const email = fields.email
  const other = call.world.crm.find((one) => one.kind === kind && sameText(one.fields.email, email))
  if (other) return json({ error: `A record with this address exists: ${other.id}.` }, 409)
  return json(shown(createRecord(call, kind, fields), call.origin), 201)
}

function updateRecord(call: Call, kind: CrmKind): Answer {
  const record = call.world.crm.get(`${kind}/${call.params.id}`)
  const fields = fieldsOf(bodyOf(call))
  if (!record) return notFound()
  if (!fields) return json({ error: 'Send the record as a JSON object.' }, 400)
  return json(shown(saveChanges(call, record, fields), call.origin))
}

function saveCase(call: Call): Answer {
  const fields = fieldsOf(bodyOf(call))
  const key = call.params.key ?? ''
  if (!fields || typeof fields.subject !== 'string') return json({ error: 'subject is missing.' }, 400)
  const record = call.world.crm.find((one) => one.kind === 'cases' && one.key === key)
  const saved = record ? saveChanges(call, record, fields) : createRecord(call, 'cases', fields, key)
  return json(shown(saved, call.origin), record ? 200 : 201)
}

const bodyOf = ({ raw }: Call): unknown => {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    return undefined
  }
}

function createRecord({ world }: Call, kind: CrmKind, fields: CrmRecord['fields'], key?: string): CrmRecord {
  const now = new Date(world.clock.now()).toISOString()
  const id = `crm-${world.crm.all().length + 1}`
  return world.crm.put({
    kind,
    id,
    fields,
    createdAt: now,
    changedAt: now,
    saves: 1,
    ...(key !== undefined && { key }),
  })
}

const saveChanges = ({ world }: Call, record: CrmRecord, fields: CrmRecord['fields']): CrmRecord =>
  world.crm.change(record, {
    fields: { ...record.fields, ...fields },
    changedAt: new Date(world.clock.now()).toISOString(),
    saves: record.saves + 1,
  })

const sameText = (value: unknown, text: string) =>
  typeof value === 'string' && value.toLowerCase() === text.toLowerCase()
