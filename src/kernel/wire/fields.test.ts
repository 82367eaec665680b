import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { endpoint } from '../http/route/endpoint.ts'
import {
  boolean,
  choice,
  datetime,
  flag,
  integer,
  listOf,
  mapOf,
  nullableText,
  optional,
  sampleOf,
  shape,
  text,
  unixTime,
  wireForm,
  zeroDatetime,
} from './fields.ts'
import { item, list, parts, type Reply } from './replies.ts'

const piecesOf = <Value>({ pieces }: Reply<Value>, value: Value) => [...(pieces(value) as Iterable<string>)]
const encoded = <Value>(reply: Reply<Value>, value: Value) => piecesOf(reply, value).join('')

test('values are encoded as the contract specifies', () => {
  const Thing = shape('Thing', {
    ID: text,
    AccountID: text,
    SFDCCampaignId: text,
    Created: datetime,
    Ended: zeroDatetime,
    Hidden: flag,
    Open: boolean,
    Count: integer,
  })
  const created = new Date('2026-08-31T09:30:00.999Z')
  const thing = {
    id: 'a',
    accountId: 'b',
    sfdcCampaignId: 'c',
    created,
    ended: null,
    hidden: true,
    open: false,
    count: 3,
    more: 'left out',
  }
  expect(JSON.parse(encoded(item('Thing', Thing), thing))).toEqual({
    Result: true,
    Thing: {
      ID: 'a',
      AccountID: 'b',
      SFDCCampaignId: 'c',
      Created: '2026-08-31 09:30:00',
      Ended: '0000-00-00 00:00:00',
      Hidden: 1,
      Open: false,
      Count: 3,
    },
  })
})

test('moments are truncated to whole seconds', () => {
  const days = ['0000-01-01', '1969-12-31', '1970-01-01', '2024-02-29', '2026-08-31', '9999-12-31']
  const times = ['00:00:00.000', '00:00:59.999', '09:05:07.500', '23:59:59.999']
  const encoded = wireForm(datetime)
  for (const day of days)
    for (const time of times) expect(encoded(new Date(`${day}T${time}Z`))).toBe(`${day} ${time.slice(0, 8)}`)
  expect(() => encoded(new Date(Number.NaN))).toThrow(RangeError)
})

test('an optional field is omitted when it is undefined', () => {
  const Thing = shape('Thing', { Id: text, Tag: { ...text, optional: true as const } })
  expect(encoded(list(Thing), { items: [{ id: 'a' }, { id: 'b', tag: 't' }], total: 2 })).toBe(
    '{"Result":true,"Items":[{"Id":"a"},{"Id":"b","Tag":"t"}],"Total":2}',
  )
})

test('shapes can be nested, and strings are escaped', () => {
  const Inner = shape('Inner', { Name: text })
  expect(encoded(parts({ Outer: shape('Outer', { Inner }) }), { outer: { inner: { name: '"\n\u2028' } } })).toBe(
    JSON.stringify({ Result: true, Outer: { Inner: { Name: '"\n\u2028' } } }),
  )
})

test('a list is encoded as a map by the ids of its items', () => {
  const Thing = shape('Thing', { Id: text, Open: flag })
  const reply = parts({ Things: mapOf(Thing), Others: mapOf(Thing) })
  const things = [
    { id: 'b', open: true },
    { id: 'a', open: false },
  ]
  expect(encoded(reply, { things, others: [] })).toBe(
    '{"Result":true,"Things":{"b":{"Id":"b","Open":1},"a":{"Id":"a","Open":0}},"Others":{}}',
  )
  expect(reply.schema.properties).toMatchObject({
    Things: { additionalProperties: { $ref: '#/components/schemas/Thing' } },
  })
  // @ts-expect-error what has no id cannot be the value of a map
  mapOf(shape('Nameless', { Open: flag }))
})

test('long lists are written in chunks with the same result as short ones', () => {
  const Thing = shape('Thing', { Id: text, Tags: listOf(text) })
  const reply = parts({
    Things: mapOf(Thing),
    Total: integer,
    Rest: listOf(Thing),
    Note: { ...text, optional: true as const },
  })
  const things = Array.from({ length: 250 }, (_, number) => ({ id: `a${number}`, tags: [`"${number}"`] }))
  const wire = things.map(({ id, tags }) => ({ Id: id, Tags: tags }))
  const whole = { Result: true, Things: Object.fromEntries(wire.map((one) => [one.Id, one])), Total: 3, Rest: wire }
  expect(piecesOf(reply, { things, total: 3, rest: things }).length).toBeGreaterThan(6)
  expect(encoded(reply, { things, total: 3, rest: things })).toBe(JSON.stringify(whole))
  expect(encoded(reply, { things, total: 3, rest: [] })).toBe(JSON.stringify({ ...whole, Rest: [] }))
})

test('a sample uses known examples, else the example of the field kind', () => {
  const Thing = shape('Thing', {
    Id: text,
    Created: datetime,
    Ended: zeroDatetime,
    State: choice(['open', 'shut']),
    Parts: listOf(shape(undefined, { Hidden: flag, Note: nullableText })),
    Tags: optional(listOf(text)),
  })
  const rest = { Ended: '0000-00-00 00:00:00', Parts: [{ Hidden: 0, Note: null }] }
  const given = { Id: 'a', State: 'shut' as const, Elsewhere: 'left out' }
  const sample = sampleOf(Thing, given)
  expect(sample).toEqual({ ...rest, Id: 'a', Created: expect.stringMatching(/^\d{4}-.{14}$/), State: 'shut' })
  expect(sampleOf(Thing, { Tags: ['t'] })).toMatchObject({ ...rest, State: 'open', Tags: ['t'] })
  // @ts-expect-error there is no such state
  sampleOf(Thing, { State: 'ajar' })
})

test('encoded values have types of their own', () => {
  const Thing = shape('Thing', {
    Id: text,
    Created: datetime,
    Due: unixTime,
    Hidden: flag,
    State: choice(['open', 'shut']),
    Parts: mapOf(shape(undefined, { Id: text, Note: nullableText })),
    Tags: optional(listOf(text)),
  })
  const toWire = wireForm(Thing)
  expectTypeOf(toWire).returns.toExtend<{
    Id: string
    Created: string
    Due: number
    Hidden: 0 | 1
    State: 'open' | 'shut'
    Parts: { [id: string]: { Id: string; Note: string | null } }
    Tags?: string[]
  }>()
  const date = new Date('2026-08-31T09:30:00Z')
  const said = toWire({
    id: 'a',
    created: date,
    due: date,
    hidden: true,
    state: 'shut',
    parts: [{ id: 'p', note: null }],
  })
  expect([said.Created, said.Due, said.Hidden, said.Parts.p?.Note, said.Tags]).toEqual([
    '2026-08-31 09:30:00',
    1_788_168_600,
    1,
    null,
    undefined,
  ])
})

test('the compiler rejects a function that does not return what the reply needs', () => {
  const Thing = shape('Thing', { Id: text, Open: flag })
  const declared = { summary: '', needs: 'read' as const, params: z.object({}), reply: item('Thing', Thing) }
  endpoint('GET /thing', { ...declared, run: async (_context: Context) => ({ id: 'a', open: true }) })
  // @ts-expect-error a field is missing
  endpoint('GET /thing', { ...declared, run: async (_context: Context) => ({ id: 'a' }) })
  // @ts-expect-error a flag is a boolean in the code
  endpoint('GET /thing', { ...declared, run: async (_context: Context) => ({ id: 'a', open: 1 }) })
  // @ts-expect-error null is not text
  endpoint('GET /thing', { ...declared, run: async (_context: Context) => ({ id: null, open: true }) })
  // @ts-expect-error there is no such ability
  endpoint('GET /thing', { ...declared, needs: 'dance', run: async (_context: Context) => ({ id: 'a', open: true }) })
  const searches = async (_context: Context, { q }: { q: string }) => ({ id: q, open: true })
  // @ts-expect-error there is no such parameter
  expect(endpoint('GET /thing', { ...declared, run: searches })).toMatchObject({ method: 'GET', path: '/thing' })
})
