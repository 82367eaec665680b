import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const standard = {
  EmailDaily: true,
  EmailWeekly: true,
  EmailCampaignComplete: true,
  EmailOnNewAssignment: true,
  EmailOnNoteAdded: true,
  EmailOnNoteMention: true,
  EmailOnStatusChange: true,
  SendDailyEmailReport: false,
}

test('notification settings are one object with defaults', async () => {
  expect((await service.publisher('GET /notification')).json).toEqual({ Result: true, Items: standard })
})

test('any subset can be changed, with any spelling of a boolean, and the response has all settings', async () => {
  const first = await service.publisher('POST /notification', { body: 'EmailDaily=0&SendDailyEmailReport=true' })
  expect(first.json).toEqual({ Result: true, Items: { ...standard, EmailDaily: false, SendDailyEmailReport: true } })
  const second = await service.publisher('POST /notification', { body: { EmailDaily: 1, emailweekly: false } })
  expect(second.json.Items).toEqual({ ...standard, EmailWeekly: false, SendDailyEmailReport: true })
  expect((await service.publisher('POST /notification')).json).toEqual(second.json)
  expect((await service.publisher('GET /notification')).json).toEqual(second.json)
})

test('notification settings belong to the calling user', async () => {
  await service.publisher('POST /notification', { body: { EmailOnNoteAdded: false } })
  expect((await service.admin('GET /notification')).json.Items).toEqual(standard)
  expect((await service.otherAdmin('GET /notification')).json.Items).toEqual(standard)
})

test('a value that is not a boolean is rejected', async () => {
  const { status, json } = await service.publisher('POST /notification', { body: { EmailDaily: 'perhaps' } })
  expect([status, json.Errors.API.Error]).toEqual([400, 'EmailDaily must be 1, 0, true or false.'])
})
