import { AggregatorRegistry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import type { Database } from '../database/database.ts'
import { openMetrics } from '../http/metrics.ts'
import { addJobMetrics } from './job-admin.ts'

const clock = { now: () => new Date('2026-05-01T12:00:00Z') }
let url: string
let drop: () => Promise<void>
let database: Database
beforeAll(async () => {
  ;({ url, drop } = await freshDatabase())
  database = openPatientDatabase({ url, connections: 2 })
})
afterAll(async () => {
  await database.close()
  await drop()
})

test('metrics count jobs by queue and state, waiting ones only when due; every process reports the same', async () => {
  for (const [id, state, due] of [
    ['a', 'waiting', '11:59:30'],
    ['b', 'waiting', '11:59:50'],
    ['c', 'waiting', '12:00:01'],
    ['d', 'running', '11:59:55'],
    ['e', 'dead', '11:00:00'],
  ])
    await ownerQuery(
      url,
      `insert into jobs (id, queue, name, payload, state, created, due) values ($1, 'mail', 'mail.send-mail', '{}', $2, now(), $3)`,
      [id, state, `2026-05-01T${due}Z`],
    )
  const metrics = openMetrics()
  addJobMetrics(metrics, database.shared, clock)
  const lines = (text: string) =>
    text.split('\n').filter((line) => /^jobs_(?:unfinished|oldest)/.test(line) && line.includes('"mail"'))
  const expected = [
    'jobs_unfinished{queue="mail",state="waiting"} 2',
    'jobs_unfinished{queue="mail",state="running"} 1',
    'jobs_unfinished{queue="mail",state="dead"} 1',
    'jobs_oldest_seconds{queue="mail",state="waiting"} 30',
    'jobs_oldest_seconds{queue="mail",state="running"} 5',
    'jobs_oldest_seconds{queue="mail",state="dead"} 3600',
  ]
  const text = await metrics.registry.metrics()
  expect(lines(text)).toEqual(expected)
  expect(text).toContain('jobs_unfinished{queue="housekeeping",state="dead"} 0')
  const [one, other] = [await metrics.registry.getMetricsAsJSON(), await metrics.registry.getMetricsAsJSON()]
  expect(lines(await AggregatorRegistry.aggregate([one, other]).metrics())).toEqual(expected)
})

test('a scrape reads once, and a failing or hanging read does not affect the other metrics', async () => {
  const metrics = openMetrics()
  let reads = 0
  let read = async () => [{ labels: { kind: 'x' }, values: { one: 1, two: 2 } }]
  const series = { one: 'One.', two: 'Two.' }
  metrics.gauges({
    labels: ['kind'],
    series,
    read: () => {
      reads++
      return read()
    },
  })
  const scrape = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^(one|two|process_start)/.test(line)).length
  expect(await scrape()).toBe(3)
  expect(reads).toBe(1)
  read = () => Promise.reject(new Error('no'))
  expect(await scrape()).toBe(1)
  read = () => new Promise(() => {})
  expect(await scrape()).toBe(1)
})
