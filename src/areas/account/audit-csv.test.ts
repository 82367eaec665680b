import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

async function table(query: string, ending = '') {
  const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}${ending}`).toString('base64')}`
  const response = await fetch(`${service.url}/app/api/audit.csv?${query}`, { headers: { authorization } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('admins export the audit log as CSV, whole or with the same filters', async () => {
  const made = []
  for (let one = 0; one < 3; one++)
    made.push((await service.publisher('POST /tag', { body: { tag: `CSV ${one}` } })).json)
  await service.admin('POST /user/00Ademo00000003', {
    body: { firstName: '=HYPERLINK("http://evil")', lastName: 'A, "B"' },
  })
  await service.contributor('POST /tag', { body: { tag: 'Hostile' } })
  await service.admin('POST /user/00Ademo00000002', { body: { firstName: '＝1+1', lastName: 'Wide' } })
  const { status, headers, text } = await table('operation=POST%20/tag')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
  const [head, first = '', ...rest] = text.split('\r\n')
  expect(head).toBe('Created,UserId,UserName,Via,ViaId,Address,Operation,EntityId,Fields,Count,Refused')
  // Formulas are escaped as text.
  expect(first).toContain(`,00Ademo00000003,"'=HYPERLINK(""http://evil"") A, ""B""",key,`)
  expect(rest.slice(0, 3).map((line) => line.split(',')[7])).toEqual(made.map(({ Tag }) => Tag.Id).reverse())
  expect(rest.at(-1)).toBe('')
  expect(rest[0]).toContain(`,00Ademo00000002,'＝1+1 Wide,key,`)
  expect((await table('userId=00Ademo00000004')).text.split('\r\n')).toHaveLength(2)
  expect((await table('', '-publisher')).status).toBe(403)
  expect((await table('via=post')).status).toBe(400)
})
