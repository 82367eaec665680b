import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const page = '003-1-2414184'

const app = (route: string, body?: object) => service.admin(route.replace(' ', ' /app/api'), body ? { body } : {})

const names = async () =>
  (await service.reader(`GET /credential/${page}/targeting-presets`)).json.Items.map(
    ({ Name }: { Name: string }) => Name,
  )

test('the presets of a company page are listed with every facet as a list', async () => {
  const { json } = await service.reader(`GET /credential/${page}/targeting-presets`, { query: '_order=name,1' })
  expect(json.Total).toBe(3)
  expect(json.Items[0]).toEqual({
    Id: '0tpdemo00000001',
    CredentialId: page,
    AccountId: demoAccount,
    Name: 'Engineers in Germany',
    CompanySize: [],
    Industry: [],
    Function: ['8'],
    Seniority: ['4', '5'],
    Geography: ['101282230'],
    Language: [],
  })
  const paged = await service.reader(`GET /credential/${page}/targeting-presets`, { query: '_count=2&_page=1' })
  expect([paged.json.Items.length, paged.json.Total]).toEqual([1, 3])
  for (const count of ['0', '101']) {
    const { status } = await service.reader(`GET /credential/${page}/targeting-presets`, { query: `_count=${count}` })
    expect(status).toBe(400)
  }
})

test('a profile that is not a LinkedIn company page has no presets', async () => {
  for (const id of ['003-1-aDaM4demo1', '003-1-100200300400501', '003-1-50100501', '003-1-1500000000000000501']) {
    const { status, json } = await service.admin(`GET /credential/${id}/targeting-presets`)
    expect([status, json.Result]).toEqual([400, false])
    expect(json.Errors.API.Error).toContain('LinkedIn company pages')
  }
  expect((await service.admin('GET /credential/003-1-0/targeting-presets')).status).toBe(404)
  expect((await service.otherAdmin(`GET /credential/${page}/targeting-presets`)).status).toBe(404)
})

test('presets are created, changed and deleted in the console, with values that LinkedIn accepts', async () => {
  const body = { name: 'Small firms', companySize: ['2-10', 'SIZE_11_TO_50'], language: 'en_US' }
  const { status, json } = await app(`POST /credential/${page}/targeting-presets`, body)
  expect(status, JSON.stringify(json)).toBe(200)
  expect(json.TargetingPreset).toMatchObject({
    Name: 'Small firms',
    CompanySize: ['2-10', 'SIZE_11_TO_50'],
    Language: ['en_US'],
  })
  const { Id } = json.TargetingPreset
  expect(
    (await app(`PUT /targeting-preset/${Id}`, { name: 'Tiny firms', language: [] })).json.TargetingPreset,
  ).toMatchObject({
    Name: 'Tiny firms',
    CompanySize: ['2-10', 'SIZE_11_TO_50'],
    Language: [],
  })
  expect(await names()).toContain('Tiny firms')
  const wrong = await app(`PUT /targeting-preset/${Id}`, { companySize: ['enormous'] })
  expect([wrong.status, wrong.json.Errors.API.Error]).toEqual([400, expect.stringContaining('enormous')])
  const explained = { companySize: '2-10', function: 'urn:li:function:8', geography: '101282230', language: 'pt_BR' }
  for (const [facet, example] of Object.entries(explained)) {
    const { status, json } = await app(`PUT /targeting-preset/${Id}`, { [facet]: 'Engineering people' })
    expect([status, json.Errors.API.Error], facet).toEqual([400, expect.stringContaining(example)])
    expect((await app(`PUT /targeting-preset/${Id}`, { [facet]: [example] })).status, 'the example is good').toBe(200)
  }
  expect((await app(`DELETE /targeting-preset/${Id}`)).json).toEqual({ Result: true })
  expect(await names()).not.toContain('Tiny firms')
  for (const method of ['PUT', 'DELETE']) expect((await app(`${method} /targeting-preset/${Id}`, {})).status).toBe(404)
  expect((await app('POST /credential/003-1-aDaM4demo1/targeting-presets', body)).status).toBe(400)
})
