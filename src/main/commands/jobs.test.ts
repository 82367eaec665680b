import { beforeEach, describe, expect, test } from 'vitest'
import { commandLine } from '../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'

const line = commandLine()
const { chorus } = line
const query = <Row extends object>(text: string, values: unknown[] = []) =>
  ownerQuery<Row>(line.databaseUrl, text, values)

beforeEach(() => query('delete from jobs'))

interface Row {
  id: string
  state?: string
  queue?: string
  key?: string
  created?: string
}

const add = (...records: Row[]) =>
  query(
    `insert into jobs (id, queue, name, key, account, payload, state, created, due, attempts, last_error)
     select id, coalesce(queue, 'mail'), 'mail.send-mail', key, '001demo00000001', '{}', coalesce(state, 'dead'), day, day, 7, 'refused
by the server'
     from jsonb_to_recordset($1) given (id text, state text, queue text, key text, created timestamptz),
       coalesce(created, '2026-05-01') day`,
    [JSON.stringify(records)],
  )
const rows = () => query('select id, state, attempts from jobs order by id')

describe('chorus jobs list', () => {
  test('shows dead jobs with their errors', async () => {
    await add({ id: '0jb000000000001' }, { id: '0jb000000000002', state: 'waiting' })
    expect(await chorus('jobs list')).toBe(
      '0jb000000000001  mail  mail.send-mail  001demo00000001  attempts 7  due 2026-05-01T00:00:00.000Z  refused by the server\n1 dead job.',
    )
    expect(await chorus('jobs list --state waiting')).toMatch(/^0jb000000000002 .*\n1 waiting job\.$/)
    expect(await chorus('jobs list --queue housekeeping')).toBe('0 dead jobs.')
  })

  test('shows a hundred jobs and the total', async () => {
    await add(...Array.from({ length: 105 }, (_, number) => ({ id: `0jb000000000${100 + number}` })))
    const output = await chorus('jobs list')
    expect(output.split('\n').length).toBe(101)
    expect(output).toMatch(/\nThe first 100 of 105 dead jobs\.$/)
  })

  test.each([
    ['jobs list --state asleep', '--state must be one of waiting, running, dead.'],
    ['jobs list --queue post', 'There is no queue "post"; the queues are housekeeping'],
    ['jobs retry-all --queue constructor', 'There is no queue "constructor"'],
    ['jobs retry-all', 'chorus jobs retry-all needs --queue.'],
  ])('rejects %s', async (args, sentence) => {
    await expect(chorus(args)).rejects.toThrow(sentence)
  })
})

describe('chorus jobs retry', () => {
  test('resets the attempts of a dead job and runs it now', async () => {
    await add({ id: '0jb000000000001' })
    expect(await chorus('jobs retry --id 0jb000000000001')).toBe('The job 0jb000000000001 is tried again.')
    expect(await query("select state, attempts, due > now() - interval '1 minute' as now from jobs")).toEqual([
      { state: 'waiting', attempts: 0, now: true },
    ])
  })

  test('explains why a job can’t be retried', async () => {
    await add(
      { id: '0jb000000000001', state: 'running' },
      { id: '0jb000000000002', key: 'one' },
      { id: '0jb000000000003', key: 'one', state: 'waiting' },
    )
    await expect(chorus('jobs retry --id 0jbnone00000000')).rejects.toThrow('There is no job 0jbnone00000000.')
    await expect(chorus('jobs retry --id 0jb000000000001')).rejects.toThrow('The job 0jb000000000001 is running;')
    await expect(chorus('jobs retry --id 0jb000000000002')).rejects.toThrow('A newer job takes the place')
  })
})

test('chorus jobs retry-all retries a queue, the newest job of each key', async () => {
  await add(
    { id: '0jb000000000001' },
    { id: '0jb000000000002' },
    { id: '0jb000000000003', key: 'one' },
    { id: '0jb000000000004', key: 'one', created: '2026-05-02' },
    { id: '0jb000000000005', key: 'two' },
    { id: '0jb000000000006', key: 'two', state: 'waiting' },
    { id: '0jb000000000007', queue: 'housekeeping' },
  )
  expect(await chorus('jobs retry-all --queue mail')).toBe(
    'Tried again: 3.\nDead still: 2, because newer jobs take their place or they failed again.',
  )
  const dead = (await rows()).filter((row) => (row as Row).state === 'dead').map((row) => (row as Row).id)
  expect(dead).toEqual(['0jb000000000003', '0jb000000000005', '0jb000000000007'])
})

test('chorus jobs discard deletes dead jobs only', async () => {
  await add({ id: '0jb000000000001' }, { id: '0jb000000000002', state: 'waiting' })
  expect(await chorus('jobs discard --id 0jb000000000001')).toBe('The job 0jb000000000001 is gone.')
  await expect(chorus('jobs discard --id 0jb000000000001')).rejects.toThrow('There is no job 0jb000000000001.')
  await expect(chorus('jobs discard --id 0jb000000000002')).rejects.toThrow('is waiting; only dead ones')
  expect(await rows()).toMatchObject([{ id: '0jb000000000002' }])
})
