import { type ActionResult, type CrmAction, type CrmHttp, type CrmType, objectIn, openCrmHttp, textAt } from './crm.ts'

/** The CRM of the sandbox. */
export const sandboxCrm: CrmType = {
  type: 'sandbox-crm',
  title: 'Sandbox CRM',
  settings: ['baseUrl'],
  secrets: ['accessToken'],
  required: ['baseUrl', 'accessToken'],
  standard: {},
  open({ outbound, settings, secret }) {
    const http = openCrmHttp(outbound, 'Sandbox CRM', settings.baseUrl ?? '', (body) => ({
      message: textAt(body, 'error'),
    }))
    const request: CrmHttp = (call) => http({ ...call, headers: { authorization: `Bearer ${secret.accessToken}` } })
    return {
      check: async () => ({ organisation: textAt(await request({ method: 'GET', path: '/v1/me' }), 'organisation') }),
      actions: { ...personActions(request, 'lead', 'leads'), ...personActions(request, 'contact', 'contacts') },
      async saveCase({ key, subject, description, owner, contactId }) {
        const json = { subject, description, owner, contactId }
        const saved = await request({ method: 'PUT', path: `/v1/cases/by-key/${encodeURIComponent(key)}`, json })
        return { remoteId: textAt(saved, 'id'), url: textAt(saved, 'url') }
      },
    }
  },
}

const personActions = (request: CrmHttp, name: string, kind: string): { [name: string]: CrmAction } => ({
  [`${name}.getById`]: {
    needs: { id: 'text' },
    run: async ({ id }) =>
      person(await request({ method: 'GET', path: `/v1/${kind}/${encodeURIComponent(String(id))}` })),
  },
  [`${name}.getByEmail`]: {
    needs: { email: 'text' },
    run: async ({ email }) => {
      const path = `/v1/${kind}/by-email/${encodeURIComponent(String(email))}`
      return person(await request({ method: 'GET', path }))
    },
  },
  [`${name}.search`]: {
    needs: { search: 'text' },
    run: async ({ search }) => ({
      record: objectIn(await request({ method: 'GET', path: `/v1/${kind}`, query: { search: String(search) } })),
    }),
  },
  [`${name}.create`]: {
    needs: { data: 'object' },
    run: async ({ data }) => person(await request({ method: 'POST', path: `/v1/${kind}`, json: data })),
  },
  [`${name}.update`]: {
    needs: { id: 'text', data: 'object' },
    run: async ({ id, data }) => {
      const path = `/v1/${kind}/${encodeURIComponent(String(id))}`
      return person(await request({ method: 'PATCH', path, json: data }))
    },
  },
})

const person = (record: unknown): ActionResult => ({
  record: objectIn(record),
  person: { id: textAt(record, 'id'), email: textAt(record, 'email') },
})
