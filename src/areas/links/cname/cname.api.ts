import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, shape, text } from '#kernel/wire/fields.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { linkIds } from '../declarations.ts'
import * as cnames from './cname.ts'

const Cname = shape('Cname', { Id: text, Created: datetime, Modified: datetime, AccountId: text, Name: text })
const id = z.object({ id: params.pathId(linkIds.cname) })
const cname = params.line({ max: 300 })

export const endpoints = [
  endpoint('GET /cname', {
    summary: 'List the custom domains of short links',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date' }, 'created,0') }),
    reply: list(Cname),
    run: cnames.search,
  }),
  endpoint('POST /cname', {
    summary: 'Add a custom domain whose CNAME record points at the host of short links',
    needs: 'administer',
    params: z.object({ cname }),
    reply: item('Cname', Cname),
    before: cnames.pointingDomain,
    run: cnames.create,
  }),
  endpoint('POST /cname/{id}', {
    summary: 'Replace a custom domain, or check it again',
    needs: 'administer',
    params: id.extend({ cname }),
    reply: item('Cname', Cname),
    before: cnames.pointingDomain,
    run: cnames.update,
  }),
  endpoint('DELETE /cname/{id}', {
    summary: 'Delete a custom domain; its short links stop working',
    needs: 'administer',
    params: id,
    reply: done,
    run: cnames.remove,
  }),
]
