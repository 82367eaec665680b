import { expect, test } from 'vitest'
import { createBatcher } from './batcher.ts'

/** The error PostgreSQL raises for an invalid value. */
const refused = Object.assign(new Error('a zero character'), { code: '22021' })

const writing = (failure: Error) => {
  const runs: string[][] = []
  const write = createBatcher<string, string>({
    maxSize: 10,
    maxDelay: 1,
    async run(_, items) {
      runs.push([...items])
      if (items.includes('bad')) throw failure
      return items.map((item) => `written ${item}`)
    },
  })
  return { runs, outcomes: (...items: string[]) => Promise.allSettled(items.map((item) => write('account', item))) }
}

test('an item with values the database refuses fails alone', async () => {
  const { outcomes } = writing(refused)
  expect(await outcomes('one', 'bad', 'two')).toEqual([
    { status: 'fulfilled', value: 'written one' },
    { status: 'rejected', reason: refused },
    { status: 'fulfilled', value: 'written two' },
  ])
})

test('a failure of the database itself fails the whole batch', async () => {
  const { outcomes, runs } = writing(Object.assign(new Error('gone'), { code: '57P01' }))
  expect((await outcomes('one', 'bad', 'two')).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
  ])
  expect(runs).toEqual([['one', 'bad', 'two']])
})
