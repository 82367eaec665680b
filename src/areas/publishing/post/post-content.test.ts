import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Publishing, profiles, startPublishing } from '../../../../tests/support/publishing.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'

let folder: TemporaryFolder
let publishing: Publishing
beforeAll(async () => {
  folder = await temporaryFolder()
  // The demo's assets are in the database, but their files are missing because the data directory is another one.
  const environment = { CHORUS_DATA_DIR: folder.path, CHORUS_ACCOUNT_LIMITS: 'links=1' }
  publishing = await startPublishing({ environment })
})
afterAll(async () => {
  await publishing.stop()
  await folder.remove()
})

test.each([
  ['Twitter', profiles.x, '026demo00000001'],
  ['Instagram', profiles.instagram, '026demo00000004'],
  ['YouTube', profiles.youtube, '026demo00000005'],
])('a post on %s with a missing file fails without retries and with a remedy', async (network, profile, media) => {
  const title = network === 'YouTube' ? { title: 'A film' } : {}
  const { Id } = await publishing.post(network, profile, { message: 'With a file', media, ...title })
  const settled = await publishing.settled(Id)
  expect(settled.Status).toBe('error')
  expect(settled.Postlogs[0]?.Error).toMatch(/is damaged or gone .* Upload it again/)
  expect((await publishing.sends(Id))[0]).toMatchObject({ state: 'failed', attempts: 1 })
})

test('an account at its limit of short links publishes the original URLs', async () => {
  const message = 'Read all of it at https://example.com/whole-story today'
  const { Id } = await publishing.post('LinkedIn', profiles.linkedInPage, { message })
  expect(await publishing.settled(Id)).toMatchObject({ Status: 'complete' })
  const [published] = await publishing.published('Read all of it')
  expect(published?.text).toContain('https://example.com/whole-story')
})
