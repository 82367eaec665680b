import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { url } from '#kernel/wire/params.ts'
import { item, list } from '#kernel/wire/replies.ts'
import { linkHashKey, linkIds } from '../declarations.ts'
import * as links from './link.ts'
import { Link, LinkChange, PublicLink, SwitchedLink } from './link-shape.ts'

const id = z.object({ id: params.pathId(linkIds.link) })

export const endpoints = [
  // The contract calls it hash; the path is that of POST /link/{id}, and tools expect one parameter name per path segment.
  endpoint('GET /link/{id}', {
    summary: 'Get the destination of a short link by its hash',
    needs: 'read',
    ownerOf: (shared, { id: hash }) => links.ownerOf(shared, { hash }),
    params: z.object({ id: params.pathId(linkHashKey) }),
    reply: item('Link', PublicLink),
    run: (context, { id: hash }) => links.getPublic(context, { hash }),
  }),
  endpoint('GET /link', {
    summary: 'List short links',
    needs: 'read',
    params: listParams(
      {
        hash: params.idOf(linkHashKey, { min: 0 }).optional(),
        credentialIds: params.idsOf(profileKey, { max: 1000 }).optional(),
        ids: params.idList(linkIds.link).optional(),
      },
      { count: upTo(100, 25), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(Link),
    run: links.search,
  }),
  endpoint('POST /link/{id}', {
    summary: 'Change the destination of a short link',
    needs: 'approve',
    params: id.extend({ longUrl: url }),
    reply: list(Link),
    run: links.changeDestination,
  }),
]

export const appEndpoints = [
  appEndpoint('POST /link/{id}/disable', {
    summary: 'Disable a short link',
    needs: 'approve',
    params: id.extend({ reason: params.line({ min: 0, max: 500 }).optional() }),
    reply: item('Link', SwitchedLink),
    run: links.disable,
  }),
  appEndpoint('POST /link/{id}/enable', {
    summary: 'Enable a short link',
    needs: 'approve',
    params: id,
    reply: item('Link', SwitchedLink),
    run: links.enable,
  }),
  appEndpoint('GET /link/{id}/changes', {
    summary: 'List the changes of a short link',
    needs: 'read',
    params: id,
    reply: list(LinkChange),
    run: links.changes,
  }),
]
