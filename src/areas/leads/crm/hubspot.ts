import {
  type ActionResult,
  type CaseRequest,
  type CrmAction,
  type CrmErrorReader,
  CrmFault,
  type CrmHttp,
  type CrmType,
  type Facts,
  objectIn,
  openCrmHttp,
  textAt,
} from './crm.ts'

/** HubSpot's CRM objects, with a private app's token: https://developers.hubspot.com/docs/api/crm */
export const hubspot: CrmType = {
  type: 'hubspot',
  title: 'HubSpot',
  settings: ['baseUrl', 'caseKey', 'pipeline', 'stage', 'portalId', 'uiDomain'],
  secrets: ['accessToken'],
  required: ['baseUrl', 'accessToken'],
  standard: { baseUrl: 'https://api.hubapi.com', pipeline: '0', stage: '1' },
  open({ outbound, settings, secret }) {
    const http = openCrmHttp(outbound, 'HubSpot', settings.baseUrl ?? '', readError)
    const request: CrmHttp = (call) => http({ ...call, headers: { authorization: `Bearer ${secret.accessToken}` } })
    const objects = openObjects(request)
    return {
      async check() {
        const account = await request({ method: 'GET', path: '/account-info/v3/details' })
        return { portalId: textAt(account, 'portalId'), uiDomain: textAt(account, 'uiDomain') }
      },
      actions: {
        // HubSpot has one kind of people; existing clients use both names.
        ...personActions(objects, 'contact'),
        ...personActions(objects, 'lead'),
        'account.getById': byId(objects, 'companies'),
        'account.search': bySearch(objects, 'companies'),
        'task.create': creation(objects, 'tasks'),
        'case.getById': byId(objects, 'tickets'),
        'case.create': creation(objects, 'tickets'),
        'case.update': update(objects, 'tickets'),
      },
      async saveCase(requested) {
        const id = await saveTicket(objects, requested, settings)
        if (requested.contactId) await objects.associate('tickets', id, 'contacts', requested.contactId)
        const { uiDomain = '', portalId = '' } = settings
        const known = uiDomain !== '' && portalId !== ''
        return { remoteId: id, url: known ? `https://${uiDomain}/contacts/${portalId}/ticket/${id}` : '' }
      },
    }
  },
}

/** `{status: 'error', message, category}`. */
const readError: CrmErrorReader = (body) => ({
  message: textAt(body, 'message'),
  kind: textAt(body, 'category') === 'RATE_LIMITS' ? 'later' : undefined,
})

const openObjects = (request: CrmHttp) => ({
  get: (kind: string, id: string, query: { [name: string]: string } = {}) =>
    request({ method: 'GET', path: `/crm/v3/objects/${kind}/${encodeURIComponent(id)}`, query }),
  search: (kind: string, json: object) => request({ method: 'POST', path: `/crm/v3/objects/${kind}/search`, json }),
  create: (kind: string, properties: object) =>
    request({ method: 'POST', path: `/crm/v3/objects/${kind}`, json: { properties } }),
  update: (kind: string, id: string, properties: object) =>
    request({ method: 'PATCH', path: `/crm/v3/objects/${kind}/${encodeURIComponent(id)}`, json: { properties } }),
  upsert: (kind: string, idProperty: string, id: string, properties: object) =>
    request({
      method: 'POST',
      path: `/crm/v3/objects/${kind}/batch/upsert`,
      json: { inputs: [{ idProperty, id, properties }] },
    }),
  associate: (kind: string, id: string, toKind: string, toId: string) =>
    request({
      method: 'PUT',
      path: `/crm/v4/objects/${kind}/${encodeURIComponent(id)}/associations/default/${toKind}/${encodeURIComponent(toId)}`,
    }),
})

type Objects = ReturnType<typeof openObjects>

const personActions = (objects: Objects, name: string): { [name: string]: CrmAction } => ({
  [`${name}.getById`]: byId(objects, 'contacts'),
  [`${name}.getByEmail`]: {
    needs: { email: 'text' },
    run: async ({ email }) => person(await objects.get('contacts', String(email), { idProperty: 'email' })),
  },
  [`${name}.search`]: bySearch(objects, 'contacts'),
  [`${name}.create`]: creation(objects, 'contacts'),
  [`${name}.update`]: update(objects, 'contacts'),
})

const byId = (objects: Objects, kind: string): CrmAction => ({
  needs: { id: 'text' },
  run: async ({ id }) => person(await objects.get(kind, String(id))),
})

const bySearch = (objects: Objects, kind: string): CrmAction => ({
  needs: { search: 'text' },
  run: async ({ search }) => ({ record: objectIn(await objects.search(kind, { query: String(search), limit: 50 })) }),
})

const creation = (objects: Objects, kind: string): CrmAction => ({
  needs: { data: 'object' },
  run: async ({ data }) => person(await objects.create(kind, data as object)),
})

const update = (objects: Objects, kind: string): CrmAction => ({
  needs: { id: 'text', data: 'object' },
  run: async ({ id, data }) => person(await objects.update(kind, String(id), data as object)),
})

const person = (record: unknown): ActionResult => ({
  record: objectIn(record),
  person: { id: textAt(record, 'id'), email: textAt(record, 'properties', 'email') },
})

/** With a unique property HubSpot guarantees one ticket per key; otherwise the key is in the subject. */
async function saveTicket(
  objects: Objects,
  { key, remoteId, ...requested }: CaseRequest,
  settings: Facts,
): Promise<string> {
  const { caseKey = '', pipeline = '', stage = '' } = settings
  const content = {
    subject: caseKey ? requested.subject : `${requested.subject} [${key}]`,
    content: requested.description,
    ...(requested.owner && { hubspot_owner_id: requested.owner }),
  }
  const begun = { ...content, hs_pipeline: pipeline, hs_pipeline_stage: stage }
  if (remoteId) {
    // Its pipeline stage is managed in HubSpot afterwards.
    await objects.update('tickets', remoteId, content)
    return remoteId
  }
  if (caseKey) return requireId(textAt(await objects.upsert('tickets', caseKey, key, begun), 'results', 0, 'id'))
  const filters = [{ propertyName: 'subject', operator: 'CONTAINS_TOKEN', value: key }]
  const found = textAt(await objects.search('tickets', { filterGroups: [{ filters }], limit: 1 }), 'results', 0, 'id')
  if (found === '') return requireId(textAt(await objects.create('tickets', begun), 'id'))
  await objects.update('tickets', found, content)
  return found
}

function requireId(id: string): string {
  if (id === '') throw new CrmFault('later', 'HubSpot did not tell which ticket it saved.')
  return id
}
