import {
  type ActionResult,
  type CaseRequest,
  type CrmAction,
  type CrmConnection,
  type CrmErrorReader,
  CrmFault,
  type CrmHttp,
  type CrmType,
  type Facts,
  objectIn,
  openCrmHttp,
  signedIn,
  textAt,
} from './crm.ts'

/** Salesforce's REST API: https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest */
export const salesforce: CrmType = {
  type: 'salesforce',
  title: 'Salesforce',
  settings: ['baseUrl', 'clientId', 'apiVersion', 'caseKey'],
  secrets: ['clientSecret', 'refreshToken'],
  required: ['baseUrl', 'clientId', 'clientSecret'],
  standard: { apiVersion: '62.0' },
  open(connection) {
    const request = requester(connection)
    const data = `/services/data/v${encodeURIComponent(connection.settings.apiVersion ?? '')}`
    const rows = openRows(request, data)
    return {
      async check() {
        await request({ method: 'GET', path: `${data}/limits` })
        return {}
      },
      actions: {
        ...personActions(rows, 'lead', 'Lead'),
        ...personActions(rows, 'contact', 'Contact'),
        'account.getById': byId(rows, 'Account'),
        'account.search': bySearch(rows, 'Account', ['Name']),
        'task.create': creation(rows, 'Task'),
        'case.getById': byId(rows, 'Case'),
        'case.create': creation(rows, 'Case'),
        'case.update': update(rows, 'Case'),
        'caseComment.create': creation(rows, 'CaseComment'),
      },
      async saveCase(requested) {
        const id = await saveCase(rows, requested, connection.settings.caseKey ?? '')
        return { remoteId: id, url: `${connection.settings.baseUrl?.replace(/\/$/, '')}/lightning/r/Case/${id}/view` }
      },
    }
  },
}

function requester({ outbound, key, settings, secret }: CrmConnection): CrmHttp {
  const http = openCrmHttp(outbound, 'Salesforce', settings.baseUrl ?? '', readError)
  return signedIn(http, key, async () => {
    const app = { client_id: settings.clientId ?? '', client_secret: secret.clientSecret ?? '' }
    const { refreshToken = '' } = secret
    const grant: Facts = refreshToken
      ? { grant_type: 'refresh_token', refresh_token: refreshToken }
      : { grant_type: 'client_credentials' }
    const response = await http({ method: 'POST', path: '/services/oauth2/token', form: { ...grant, ...app } })
    const token = textAt(response, 'access_token')
    if (token === '') throw new CrmFault('signIn', 'Salesforce gave no token.')
    return token
  })
}

/** `[{message, errorCode}]`, and on sign-in `{error, error_description}`. */
const readError: CrmErrorReader = (body, status) => {
  const code = textAt(body, 0, 'errorCode')
  const signInError = textAt(body, 'error')
  const kind = code === 'REQUEST_LIMIT_EXCEEDED' || code === 'UNABLE_TO_LOCK_ROW' ? 'later' : undefined
  return {
    message: textAt(body, 0, 'message') || textAt(body, 'error_description') || signInError,
    kind: signInError && status < 500 ? 'signIn' : kind,
  }
}

const openRows = (request: CrmHttp, data: string) => ({
  get: (kind: string, id: string) =>
    request({ method: 'GET', path: `${data}/sobjects/${kind}/${encodeURIComponent(id)}` }),
  create: (kind: string, json: object) => request({ method: 'POST', path: `${data}/sobjects/${kind}`, json }),
  update: (kind: string, id: string, json: object) =>
    request({ method: 'PATCH', path: `${data}/sobjects/${kind}/${encodeURIComponent(id)}`, json }),
  upsert: (kind: string, field: string, key: string, json: object) =>
    request({
      method: 'PATCH',
      path: `${data}/sobjects/${kind}/${encodeURIComponent(field)}/${encodeURIComponent(key)}`,
      json,
    }),
  query: (q: string) => request({ method: 'GET', path: `${data}/query`, query: { q } }),
})

type Rows = ReturnType<typeof openRows>

const personActions = (rows: Rows, name: string, kind: string): { [name: string]: CrmAction } => ({
  [`${name}.getById`]: byId(rows, kind),
  [`${name}.getByEmail`]: {
    needs: { email: 'text' },
    async run({ email }) {
      const found = await rows.query(`SELECT FIELDS(STANDARD) FROM ${kind} WHERE Email = ${quoted(email)} LIMIT 1`)
      const record = (found as { records?: unknown[] }).records?.[0]
      if (!record) throw new CrmFault('absent', `Salesforce has no ${name} with this address.`)
      return person(record)
    },
  },
  [`${name}.search`]: bySearch(rows, kind, ['Name', 'Email']),
  [`${name}.create`]: creation(rows, kind),
  [`${name}.update`]: update(rows, kind),
})

const byId = (rows: Rows, kind: string): CrmAction => ({
  needs: { id: 'text' },
  run: async ({ id }) => person(await rows.get(kind, String(id))),
})

const bySearch = (rows: Rows, kind: string, fields: readonly string[]): CrmAction => ({
  needs: { search: 'text' },
  async run({ search }) {
    const pattern = `'%${escaped(search).replace(/[%_]/g, '\\$&')}%'`
    const conditions = fields.map((field) => `${field} LIKE ${pattern}`).join(' OR ')
    return { record: objectIn(await rows.query(`SELECT FIELDS(STANDARD) FROM ${kind} WHERE ${conditions} LIMIT 50`)) }
  },
})

const creation = (rows: Rows, kind: string): CrmAction => ({
  needs: { data: 'object' },
  async run({ data }) {
    const made = await rows.create(kind, data as object)
    return { record: objectIn(made), person: { id: textAt(made, 'id'), email: textAt(data, 'Email') } }
  },
})

const update = (rows: Rows, kind: string): CrmAction => ({
  needs: { id: 'text', data: 'object' },
  async run({ id, data }) {
    await rows.update(kind, String(id), data as object)
    return { record: { id }, person: { id: String(id), email: textAt(data, 'Email') } }
  },
})

const person = (record: unknown): ActionResult => ({
  record: objectIn(record),
  person: { id: textAt(record, 'Id'), email: textAt(record, 'Email') },
})

/** SOQL string; LIKE has two more special characters. */
const quoted = (text: unknown) => `'${escaped(text)}'`
const escaped = (text: unknown) =>
  String(text)
    .replace(/[\\']/g, '\\$&')
    .replace(/[\r\n]/g, ' ')

/** With an external id field Salesforce guarantees one case per key; otherwise the key is in the subject. */
async function saveCase(
  rows: Rows,
  { key, remoteId, subject, description, owner, contactId }: CaseRequest,
  field: string,
) {
  const content = {
    Subject: field ? subject : `${subject} [${key}]`,
    Description: description,
    Origin: 'Social',
    ...(owner && { OwnerId: owner }),
    ...(contactId && { ContactId: contactId }),
  }
  if (field) {
    const saved = await rows.upsert('Case', field, key, content)
    const id =
      textAt(saved, 'id') ||
      textAt(await rows.query(`SELECT Id FROM Case WHERE ${field} = ${quoted(key)} LIMIT 1`), 'records', 0, 'Id')
    if (id) return id
    throw new CrmFault('later', 'Salesforce did not tell which case it saved.')
  }
  const found =
    remoteId ||
    textAt(
      await rows.query(`SELECT Id FROM Case WHERE Subject LIKE ${quoted(`%[${key}]`)} LIMIT 1`),
      'records',
      0,
      'Id',
    )
  if (found) {
    await rows.update('Case', found, content)
    return found
  }
  return textAt(await rows.create('Case', content), 'id')
}
