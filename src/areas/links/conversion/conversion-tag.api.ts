import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { linkIds } from '../declarations.ts'
import * as tags from './conversion-tag.ts'
import {
  ConversionTag,
  ConversionTagWithSnippet,
  conversionTagChanges,
  conversionTagDraft,
} from './conversion-tag-shape.ts'

const id = z.object({ id: params.pathId(linkIds.conversionTag) })
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
    summary: 'Get a conversion tag with the snippet for the page',
    needs: 'read',
    params: id,
    reply,
    run: tags.get,
  }),
  appEndpoint('POST /conversion-tag', {
    summary: 'Create a conversion tag',
    needs: 'administer',
    params: conversionTagDraft,
    reply,
    run: tags.create,
  }),
  appEndpoint('PUT /conversion-tag/{id}', {
    summary: 'Update a conversion tag',
    needs: 'administer',
    params: conversionTagChanges,
    reply,
    run: tags.update,
  }),
  appEndpoint('DELETE /conversion-tag/{id}', {
    summary: 'Delete a conversion tag without conversions',
    needs: 'administer',
    params: id,
    reply: done,
    run: tags.remove,
  }),
]
