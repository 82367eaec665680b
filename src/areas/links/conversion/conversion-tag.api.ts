import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/endpoint.ts'
import { choice, integer, shape, text } from '#kernel/wire/fields.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import { param, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { isAmount } from './amount.ts'
import * as tags from './conversion-tag.ts'

const statuses = ['active', 'inactive'] as const
const fields = { Id: text, Tag: text, Value: text, Status: choice(statuses), Conversions: integer }
const ConversionTag = shape('ConversionTag', fields)
const ConversionTagWithSnippet = shape('ConversionTagWithSnippet', { ...fields, Snippet: text })

const id = z.object({ id: params.pathId('conversionTag') })
const amount = param({ type: 'string', pattern: '^\\d{1,10}(\\.\\d{1,2})?$' }, (raw) => {
  const value = scalar(raw).trim()
  return isAmount(value) ? value : refuse('must be an amount such as 10 or 10.50')
})
const reply = item('ConversionTag', ConversionTagWithSnippet)

export const endpoints = [
  endpoint('GET /conversion-tag', {
    summary: 'List the conversion tags',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date' }, 'created,0') }),
    reply: list(ConversionTag),
    run: tags.search,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /conversion-tag/{id}', {
    summary: 'Get a conversion tag with what is to be pasted into the page that counts',
    needs: 'read',
    params: id,
    reply,
    run: tags.get,
  }),
  appEndpoint('POST /conversion-tag', {
    summary: 'Create a conversion tag',
    needs: 'administer',
    params: z.object({ tag: params.line(), value: amount.optional() }),
    reply,
    run: tags.create,
  }),
  appEndpoint('PUT /conversion-tag/{id}', {
    summary: 'Change a conversion tag',
    needs: 'administer',
    params: id.extend({
      tag: params.line().optional(),
      value: amount.optional(),
      status: params.choice(statuses).optional(),
    }),
    reply,
    run: tags.update,
  }),
  appEndpoint('DELETE /conversion-tag/{id}', {
    summary: 'Delete a conversion tag that nothing has been counted for',
    needs: 'administer',
    params: id,
    reply: done,
    run: tags.remove,
  }),
]
