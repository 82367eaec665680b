import { expect, test } from 'vitest'
import { z } from 'zod'
import * as params from './params.ts'
import { objectList } from './structured-params.ts'

const people = objectList(z.object({ name: params.line(), isOwner: params.flag.optional() }), { min: 1, max: 2 })
const read = (raw: unknown) => people.safeParse(raw)

test('a list of objects is parsed in every encoding with all fields', () => {
  const meant = [{ name: 'Ada', isOwner: true }, { name: 'Pablo' }]
  for (const raw of [
    [{ name: ' Ada ', isOwner: '1', more: 'left out' }, { name: 'Pablo' }],
    '[{"name": "Ada", "isOwner": true}, {"name": "Pablo"}]',
  ])
    expect(read(raw).data).toEqual(meant)
})

test.each([
  [[], 'must hold 1 to 2 elements'],
  ['', 'must hold 1 to 2 elements'],
  [[{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'must hold 1 to 2 elements'],
  [[{ name: 'a' }, {}], 'element 2: name is missing'],
  [[{ name: 'a', isOwner: 'maybe' }], 'element 1: isOwner must be 1, 0, true or false'],
  ['Ada,Pablo', 'element 1: must be an object'],
  ['[{', 'must be a list'],
  [{ name: 'a' }, 'must be a single value'],
])('%j is refused: it %s', (raw, rule) => {
  expect(read(raw).error?.issues[0]?.message).toBe(rule)
})
