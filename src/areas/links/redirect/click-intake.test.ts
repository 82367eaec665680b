import { expect, test } from 'vitest'
import type { Database } from '#kernel/database/database.ts'
import type { Writer } from '#kernel/database/writer.ts'
import { openLog } from '#kernel/log.ts'
import { aboutOf } from '../click/click-bundle.ts'
import { openClickIntake, type WaitingClick } from './click-intake.ts'

const click = (id: string): WaitingClick => ({
  account: '001',
  link: '008',
  id,
  at: 0,
  visitor: 'v',
  address: '127.0.0.1',
  about: aboutOf({ class: 'human', reason: '', userAgent: 'u' }),
  since: performance.now(),
  answered: false,
})

function openIntake(write: Writer['write'], limits = {}) {
  const report = { answered: [] as string[], early: 0, uncounted: 0 }
  const intake = openClickIntake<WaitingClick>({
    database: {} as Database,
    writers: [{ write, close: async () => {} }],
    log: openLog('silent'),
    answer: ({ id }) => report.answered.push(id),
    early: (clicks) => {
      report.early += clicks
    },
    uncounted: (clicks) => {
      report.uncounted += clicks
    },
    limits,
  })
  return { intake, report }
}

const refused = () => Promise.reject(Object.assign(new Error('The disk is full.'), { code: '53100' }))

test('no response is sent before the click is stored', async () => {
  let finish = () => {}
  const { intake, report } = openIntake(
    () =>
      new Promise((resolve) => {
        finish = () => resolve()
      }),
  )
  intake.add(click('a'))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(report.answered).toEqual([])
  expect(intake.waiting()).toBe(1)
  finish()
  await expect.poll(() => report.answered).toEqual(['a'])
  await intake.close()
})

test('clicks that arrive during a statement are stored together by the next one', async () => {
  const sizes: number[] = []
  const { intake, report } = openIntake(async ([statement]) => {
    sizes.push(Number(statement?.values[2]))
    await new Promise((resolve) => setTimeout(resolve, 30))
  })
  intake.add(click('a'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  for (const id of ['b', 'c', 'd']) intake.add(click(id))
  await expect.poll(() => report.answered).toEqual(['a', 'b', 'c', 'd'])
  expect(sizes).toEqual([1, 3])
  await intake.close()
})

test('a click that cannot be stored in time is dropped and counted, and its visitor is redirected before', async () => {
  const { intake, report } = openIntake(refused, { patience: 100, kept: 600 })
  intake.add(click('a'))
  await expect.poll(() => report.answered).toEqual(['a'])
  expect(report).toMatchObject({ early: 1, uncounted: 0 })
  await expect.poll(() => report.uncounted).toBe(1)
  expect(report.answered).toEqual(['a'])
  await intake.close()
})

test('clicks beyond the limit are dropped at once, and their visitors do not wait', async () => {
  const { intake, report } = openIntake(() => new Promise(() => {}), { most: 2 })
  for (const id of ['a', 'b', 'c', 'd']) intake.add(click(id))
  expect(report.answered).toEqual(['c', 'd'])
  expect(report.uncounted).toBe(2)
})
