import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { openReactions } from '#areas/events/reaction.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { plainOwnersDatabase } from '#kernel/database/transfer/transfer.fixture.ts'
import { queues } from '#kernel/jobs/job.ts'
import { jobAliases } from './job-aliases.ts'
import { migrationsFolder } from './project.ts'
import { jobsOf, reactions, recurringJobs } from './registry.ts'

/** No job touches the installation before it runs. */
const jobs = [
  ...jobsOf({ installation: { files: {} } } as Parameters<typeof jobsOf>[0]),
  ...openReactions(reactions).jobs,
]
const names = jobs.map(({ name }) => name)

const scheme = /^([a-z]+)\.[a-z]+(?:-[a-z]+)+$/
const isOwners = (name: string, file: string) => {
  const [, owner] = scheme.exec(name) ?? []
  return file.startsWith(`src/areas/${owner}/`) || file.startsWith(`src/kernel/${owner}/`)
}

test('a job’s name has its owner and action, and occurs only where it is declared', () => {
  const sources = readdirSync('src', { recursive: true })
    .map((name) => join('src', String(name)))
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name) && !name.endsWith('job-aliases.ts'))
    .map((name) => ({ name, text: readFileSync(name, 'utf8') }))
  for (const name of names) {
    const naming = sources.filter(({ text }) => text.includes(`'${name}'`)).map((source) => source.name)
    expect(naming, name).toHaveLength(1)
    expect(isOwners(name, naming[0] ?? ''), `${name} in ${naming[0]}`).toBe(true)
  }
  expect(new Set(names).size).toBe(names.length)
  expect(recurringJobs.filter(({ job }) => !names.includes(job.name))).toEqual([])
  for (const planted of ['late-conversion', 'media.download', 'Media.remove-file', 'media.remove-file-'])
    expect(isOwners(planted, 'src/areas/media/file/stored-file.ts'), planted).toBe(false)
  expect(isOwners('links.remove-file', 'src/areas/media/file/stored-file.ts')).toBe(false)
})

test('a queue is one plain word', () => {
  expect(Object.keys(queues).filter((queue) => !/^[a-z]+$/.test(queue))).toEqual([])
})

/** Names from before the naming scheme. */
const before = [
  'forget-old-idempotency-keys',
  'mail',
  'send-reset-links',
  'send-invitation',
  'renew-tokens',
  'download',
  'remove-file',
  'release-holds',
  'sweep-files',
  'complete-campaigns',
  'end-campaign',
  'weigh-messages',
  'settle-items',
  'check-domains',
  'forget-old-clicks',
  'late-conversion',
  'forget-old-events',
]

test('waiting, dead and recurring jobs with former names continue after the upgrade', async () => {
  const { url, drop } = await plainOwnersDatabase(inject('serverUrl'))
  expect(Object.keys(jobAliases)).toEqual(expect.arrayContaining(before))
  expect(Object.values(jobAliases).filter((name) => !(names as string[]).includes(name))).toEqual([])
  await migrate(url, migrationsFolder, () => {}, '0020-limits.sql')
  await ownerQuery(
    url,
    `insert into jobs (id, queue, name, account, payload, state, created, due, attempts)
     select state || name, 'housekeeping', name, '', '{"kept": true}', state, '2026-05-01', '2026-05-02', 3
     from unnest($1::text[]) name, unnest('{waiting,dead}'::text[]) state`,
    [before],
  )
  await ownerQuery(url, `insert into job_schedule select name, '2026-05-03' from unnest($1::text[]) name`, [before])
  await migrate(url, migrationsFolder, () => {}, '0023-job-names.sql')
  const renamed = await ownerQuery<{ name: string; state: string }>(
    url,
    `select name, state from jobs where payload = '{"kept": true}' and due = '2026-05-02' and attempts = 3`,
  )
  expect(renamed).toHaveLength(2 * before.length)
  expect(renamed.filter(({ name }) => !(names as string[]).includes(name))).toEqual([])
  const aliases: { [name: string]: string } = jobAliases
  expect(new Set(renamed.map(({ name }) => name))).toEqual(new Set(before.map((name) => aliases[name])))
  const times = await ownerQuery<{ name: string }>(url, `select name from job_schedule where next = '2026-05-03'`)
  expect(times.map(({ name }) => name).sort()).toEqual([...new Set(renamed.map(({ name }) => name))].sort())
  expect(times).toHaveLength(before.length)
  await drop()
})
