import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { endpoint } from '../http/endpoint.ts'
import { boolean, datetime, flag, integer, mapOf, shape, text, zeroDatetime } from './fields.ts'
import { item, list, parts } from './replies.ts'

test('values look on the wire as the contract says', () => {
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
  expect(JSON.parse(item('Thing', Thing).encode(thing))).toEqual({
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

test('an optional field is left out when it is undefined', () => {
  const Thing = shape('Thing', { Id: text, Tag: { ...text, optional: true as const } })
  const encode = list(Thing).encode
  expect(encode({ items: [{ id: 'a' }, { id: 'b', tag: 't' }], total: 2 })).toBe(
    '{"Result":true,"Items":[{"Id":"a"},{"Id":"b","Tag":"t"}],"Total":2}',
  )
})

test('shapes nest, and texts are escaped', () => {
  const Inner = shape('Inner', { Name: text })
  expect(parts({ Outer: shape('Outer', { Inner }) }).encode({ outer: { inner: { name: '"\n\u2028' } } })).toBe(
    JSON.stringify({ Result: true, Outer: { Inner: { Name: '"\n\u2028' } } }),
  )
})

test('a list becomes a map by the ids of what it holds', () => {
  const Thing = shape('Thing', { Id: text, Open: flag })
  const { encode, schema } = parts({ Things: mapOf(Thing), Others: mapOf(Thing) })
  const things = [
    { id: 'b', open: true },
    { id: 'a', open: false },
  ]
  expect(encode({ things, others: [] })).toBe(
    '{"Result":true,"Things":{"b":{"Id":"b","Open":1},"a":{"Id":"a","Open":0}},"Others":{}}',
  )
  expect(schema.properties).toMatchObject({ Things: { additionalProperties: { $ref: '#/components/schemas/Thing' } } })
  // @ts-expect-error what has no id cannot be the value of a map
  mapOf(shape('Nameless', { Open: flag }))
})

test('the compiler refuses a function that does not give what the reply needs', () => {
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
