import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../../tests/support/command-line.ts'
import { demoAccount, startTestService, type TestService, testKeys } from '../../../tests/support/service.ts'

const { chorus } = commandLine()
let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

/** The command line next to the running service. */
const run = (args: string) =>
  chorus(`lead ${args} --account ${demoAccount}`, {
    CHORUS_DATABASE_URL: service.databaseUrl,
    CHORUS_SECRET_KEYS: testKeys,
  })

test('all data of a person is exported as JSON', async () => {
  const body = { email: 'ines.holt@example.com', name: 'Ines Holt', phone: '+31 20 555 0100' }
  const { Id } = (await service.admin('POST /app/api/lead', { body })).json.Lead
  const output = await run(`export --lead ${Id}`)
  const exported = JSON.parse(output.slice(output.indexOf('{')))
  expect(exported).toMatchObject({
    isComplete: true,
    lead: { id: Id, ...body },
    activities: [],
    clicks: [],
    conversations: [],
  })
  await expect(run('export --lead 0ldnobody000001')).rejects.toThrow('Lead not found.')
})
