import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../behaviour/faults.ts'
import type { ApiRequest } from '../http/request.ts'
import { type ApiResponse, escapeHtml, html, json, renderPage } from '../http/response.ts'
import { matchRoute, type Route, route } from '../http/router.ts'
import { type CrmKind, type CrmRecord, crmKinds } from '../state/rows.ts'

const maxFields = 100

/** The fields of a record in a request, without the reserved ones. */
function fieldsOf(given: unknown): CrmRecord['fields'] | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const entries = Object.entries(given).filter(([name]) => !reservedFields.has(name))
  return entries.length > maxFields ? undefined : (Object.fromEntries(entries) as CrmRecord['fields'])
}

const reservedFields = new Set(['id', 'key', 'url', 'createdAt', 'changedAt'])

const recordShape = ({ kind, id, key, fields, createdAt, changedAt }: CrmRecord, origin: string) => ({
  ...fields,
  id,
  createdAt,
  changedAt,
  url: `${origin}/crm/${kind}/${id}`,
  ...(key !== undefined && { key }),
})

/** A small CRM with leads, contacts and cases. */

const prefix = '/crm'
const token = 'sandbox-crm-token'

export const isCrm = ({ path }: ApiRequest) => path === prefix || path.startsWith(`${prefix}/`)

export async function serveCrm(request: ApiRequest): Promise<ApiResponse | 'lost'> {
  const path = request.path.slice(prefix.length)
  const shownPage = matchRoute(pages, request.method, path)
  if (shownPage) return shownPage.route.handle({ ...request, params: shownPage.params })
  if (request.headers.authorization !== `Bearer ${token}`) return json({ error: 'Send your token as a bearer.' }, 401)
  const match = matchRoute(routes, request.method, path)
  if (!match) return json({ error: `There is no ${request.method} ${path}.` }, 404)
  request.params = match.params
  const fault = request.state.faults.take('CRM', undefined, 'crm')
  if (fault?.fault === 'delay') await sleep(fault.delayMs)
  const response = (fault && faultResponse(fault)) ?? (await match.route.handle(request))
  if (fault?.fault === 'lost-answer') return 'lost'
  return fault?.answer ?? response
}

/** The response to a planned fault, sent instead of handling the request. */
function faultResponse({ fault, answer, afterEffect }: Fault): ApiResponse | undefined {
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
    crmRoute('GET', `/v1/${kind}`, (request) => searchRecords(request, kind)),
    crmRoute('POST', `/v1/${kind}`, (request) => handleCreate(request, kind)),
    crmRoute('GET', `/v1/${kind}/by-email/:email`, (request) => byEmail(request, kind)),
    crmRoute('PATCH', `/v1/${kind}/:id`, (request) => updateRecord(request, kind)),
  ]),
  ...crmKinds.map((kind) => crmRoute('GET', `/v1/${kind}/:id`, (request) => getRecord(request, kind))),
  crmRoute('PUT', '/v1/cases/by-key/:key', saveCase),
]

const pages: Route[] = crmKinds.map((kind) =>
  crmRoute('GET', `/${kind}/:id`, (request) => {
    const record = request.state.crm.get(`${kind}/${request.params.id}`)
    if (!record) return html(renderPage('Sandbox CRM', '<p>There is no such record.</p>'), 404)
    const rows = Object.entries(recordShape(record, request.origin)).map(
      ([name, value]) => `<tr><th>${escapeHtml(name)}<td>${escapeHtml(String(value))}`,
    )
    return html(renderPage('Sandbox CRM', `<table>${rows.join('')}</table>`))
  }),
)

const notFound = () => json({ error: 'There is no such record.' }, 404)

function getRecord({ state, params, origin }: ApiRequest, kind: CrmKind): ApiResponse {
  const record = state.crm.get(`${kind}/${params.id}`)
  return record ? json(recordShape(record, origin)) : notFound()
}

function byEmail({ state, params, origin }: ApiRequest, kind: CrmKind): ApiResponse {
  const record = state.crm.find((one) => one.kind === kind && sameText(one.fields.email, params.email ?? ''))
  return record ? json(recordShape(record, origin)) : notFound()
}

function searchRecords({ state, query, origin }: ApiRequest, kind: CrmKind): ApiResponse {
  const word = (query.get('search') ?? '').toLowerCase()
  const found = state.crm
    .all()
    .filter((one) => one.kind === kind && JSON.stringify(one.fields).toLowerCase().includes(word))
  return json({ total: found.length, records: found.slice(0, 50).map((record) => recordShape(record, origin)) })
}

/** An email address is unique among the records of a kind. */
function handleCreate(request: ApiRequest, kind: CrmKind): ApiResponse {
  const fields = fieldsOf(bodyOf(request))
  if (!fields) return json({ error: 'Send the record as a JSON object.' }, 400)
  if (typeof fields.email !== 'string' || !fields.email.includes('@')) return json({ error: 'email is missing.' }, 400)
  const email = fields.email
  const other = request.state.crm.find((one) => one.kind === kind && sameText(one.fields.email, email))
  if (other) return json({ error: `A record with this address exists: ${other.id}.` }, 409)
  return json(recordShape(createRecord(request, kind, fields), request.origin), 201)
}

function updateRecord(request: ApiRequest, kind: CrmKind): ApiResponse {
  const record = request.state.crm.get(`${kind}/${request.params.id}`)
  const fields = fieldsOf(bodyOf(request))
  if (!record) return notFound()
  if (!fields) return json({ error: 'Send the record as a JSON object.' }, 400)
  return json(recordShape(saveChanges(request, record, fields), request.origin))
}

function saveCase(request: ApiRequest): ApiResponse {
  const fields = fieldsOf(bodyOf(request))
  const key = request.params.key ?? ''
  if (!fields || typeof fields.subject !== 'string') return json({ error: 'subject is missing.' }, 400)
  const record = request.state.crm.find((one) => one.kind === 'cases' && one.key === key)
  const saved = record ? saveChanges(request, record, fields) : createRecord(request, 'cases', fields, key)
  return json(recordShape(saved, request.origin), record ? 200 : 201)
}

const bodyOf = ({ raw }: ApiRequest): unknown => {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    return undefined
  }
}

function createRecord({ state }: ApiRequest, kind: CrmKind, fields: CrmRecord['fields'], key?: string): CrmRecord {
  const now = new Date(state.clock.now()).toISOString()
  const id = `crm-${state.crm.all().length + 1}`
  return state.crm.put({
    kind,
    id,
    fields,
    createdAt: now,
    changedAt: now,
    saves: 1,
    ...(key !== undefined && { key }),
  })
}

const saveChanges = ({ state }: ApiRequest, record: CrmRecord, fields: CrmRecord['fields']): CrmRecord =>
  state.crm.change(record, {
    fields: { ...record.fields, ...fields },
    changedAt: new Date(state.clock.now()).toISOString(),
    saves: record.saves + 1,
  })

const sameText = (value: unknown, text: string) =>
  typeof value === 'string' && value.toLowerCase() === text.toLowerCase()
