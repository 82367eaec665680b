import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Publishing, profiles, startPublishing } from '../../../../tests/support/publishing.ts'

let service: Publishing
beforeAll(async () => {
  service = await startPublishing({ environment: { CHORUS_ACCOUNT_LIMITS: 'links=1' } })
})
afterAll(() => service.stop())

test('an account at its limit of short links publishes the original URLs', async () => {
  const message = 'Read all of it at https://example.com/whole-story today'
  const { Id } = await service.post('LinkedIn', profiles.linkedInPage, { message })
  expect(await service.settled(Id)).toMatchObject({ Status: 'complete' })
  const [published] = await service.published('Read all of it')
  expect(published?.text).toContain('https://example.com/whole-story')
})
