import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openReactions } from '#areas/events/reaction.ts'
import { queues } from '#kernel/jobs/job.ts'
import { jobAliases } from './job-aliases.ts'
import { jobsOf, reactions, recurringJobs } from './registry.ts'

/** No job touches the installation before it runs. */
const jobs = [
  ...jobsOf({ installation: { files: {} } } as Parameters<typeof jobsOf>[0]),
  ...openReactions(reactions).jobs,
]
const names = jobs.map(({ name }) => name)

const scheme = /^([a-z]+)\.[a-z]+(?:-[a-z]+)+$/
const isDeclaredByOwner = (name: string, file: string) => {
  const [, owner] = scheme.exec(name) ?? []
  return file.startsWith(`src/areas/${owner}/`) || file.startsWith(`src/kernel/${owner}/`)
}

test('job names have the form area.verb-noun and are declared once', () => {
  const sources = readdirSync('src', { recursive: true })
    .map((name) => join('src', String(name)))
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name) && !name.endsWith('job-aliases.ts'))
    .map((name) => ({ name, text: readFileSync(name, 'utf8') }))
  for (const name of names) {
    const naming = sources.filter(({ text }) => text.includes(`'${name}'`)).map((source) => source.name)
    expect(naming, name).toHaveLength(1)
    expect(isDeclaredByOwner(name, naming[0] ?? ''), `${name} in ${naming[0]}`).toBe(true)
  }
  expect(new Set(names).size).toBe(names.length)
  expect(recurringJobs.filter(({ job }) => !names.includes(job.name))).toEqual([])
  for (const invalid of ['late-conversion', 'media.download', 'Media.remove-file', 'media.remove-file-'])
    expect(isDeclaredByOwner(invalid, 'src/areas/media/storing/stored-files.job.ts'), invalid).toBe(false)
  expect(isDeclaredByOwner('links.remove-file', 'src/areas/media/storing/stored-files.job.ts')).toBe(false)
})

test('queue names are single lowercase words', () => {
  expect(Object.keys(queues).filter((queue) => !/^[a-z]+$/.test(queue))).toEqual([])
})

test('a job alias refers to an existing job', () => {
  expect(Object.values(jobAliases).filter((name) => !(names as string[]).includes(name))).toEqual([])
})
