import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

let made = 0

/** An asset with these properties, as written by the inspector. */
async function video(measures: { [column: string]: number | string | null }, type = 'Video') {
  const id = `026valid${String(made++).padStart(7, '0')}`
  const usual = { size: 20_000_000, width: 1280, height: 720, duration_ms: 60_000, frames_per_second: 30 }
  const codecs = { video_codec: 'h264', audio_codec: 'aac' }
  const all = { mime_type: 'video/mp4', ...usual, ...codecs, ...measures }
  await ownerQuery(
    service.databaseUrl,
    `insert into stored_files (account_id, digest, bytes, uses) values ($1, $2, 1, 1)`,
    [demoAccount, id],
  )
  const columns = Object.keys(all)
  await ownerQuery(
    service.databaseUrl,
    `insert into media (account_id, id, created, modified, created_by, modified_by, type, name, digest, token, ${columns.join(', ')})
    values ($1, $2, now(), now(), '', '', $3, 'film.mp4', $2, '', ${columns.map((_, index) => `$${index + 4}`).join(', ')})`,
    [demoAccount, id, type, ...Object.values(all)],
  )
  return id
}

const validations = async (measures: Parameters<typeof video>[0] = {}) =>
  (await service.reader(`GET /video-validate/${await video(measures)}`)).json.Validations

test('an ordinary video can be published everywhere', async () => {
  const all = await validations()
  expect(Object.keys(all)).toEqual(['Facebook', 'LinkedIn', 'Twitter', 'Instagram', 'Youtube'])
  for (const verdict of Object.values(all)) expect(verdict).toEqual({ isValid: true, errors: [] })
})

test('each violated rule is named with its limit and the value', async () => {
  const long = await validations({ duration_ms: 163_000 })
  expect(long.Twitter).toEqual({ isValid: false, errors: ['The video lasts 163 s; the maximum is 140 s.'] })
  expect(long.Facebook.isValid && long.LinkedIn.isValid && long.Instagram.isValid && long.Youtube.isValid).toBe(true)
  const large = await validations({ size: 600_000_000, width: 3840, height: 2160, video_codec: 'av1' })
  expect(large.LinkedIn.errors.join()).toMatch(/The file has 600 MB; the maximum is 500 MB/)
  expect(large.Twitter.errors.length).toBeGreaterThanOrEqual(3)
  expect(large.Facebook.errors).toEqual(['The video codec is av1; allowed is h264.'])
  expect(large.Youtube.isValid).toBe(true)
  expect((await validations({ duration_ms: 1000 })).LinkedIn.errors.join()).toContain('the minimum is 3 s')
})

test('unknown properties violate no rule', async () => {
  const unknown = {
    width: null,
    height: null,
    duration_ms: null,
    frames_per_second: null,
    video_codec: null,
    audio_codec: null,
  }
  for (const verdict of Object.values(await validations(unknown as never)))
    expect(verdict).toMatchObject({ isValid: true })
})

test('only videos are validated', async () => {
  const { status, json } = await service.reader(
    `GET /video-validate/${await video({ mime_type: 'image/png' }, 'Image')}`,
  )
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining('Only videos')])
  expect((await service.reader('GET /video-validate/026nothing00000')).status).toBe(404)
})
