import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { advocacyIds } from '../declarations.ts'
import * as boardStories from './board-story.ts'
import * as profiles from './own-profile.ts'
import * as shares from './share.ts'
import { create } from './share-create.ts'
import { BoardStory, Offer, OwnProfile, offerWish, Share, shareDraft } from './share-shape.ts'

const board = { id: params.pathId(scopeIds.board) }
const paging = (order: Parameters<typeof listParams>[1]['order']) => listParams(board, { count: upTo(100, 20), order })

/** Actions of advocates on their boards. */
export const endpoints = [
  appEndpoint('GET /board/{id}/story', {
    summary: 'List stories to share: selected topics first, then featured, then newest',
    needs: 'share',
    params: paging(sortBy({ publishDate: 'date' }, 'publishDate,0')),
    reply: list(BoardStory),
    run: boardStories.search,
  }),
  appEndpoint('POST /board/{id}/offer', {
    operationId: 'createBoardOffer',
    summary: 'Reserve a text to share a story on a network',
    needs: 'share',
    params: offerWish,
    reply: item('Offer', Offer),
    run: shares.offer,
  }),
  appEndpoint('POST /board/{id}/share', {
    operationId: 'createBoardShare',
    summary: 'Share a story on the caller’s profiles, now or at a time',
    needs: 'share',
    params: shareDraft,
    reply: list(Share),
    run: create,
  }),
  appEndpoint('GET /board/{id}/share', {
    summary: 'List the caller’s shares on a board with their results',
    needs: 'share',
    params: paging(sortBy({ created: 'date' }, 'created,0')),
    reply: list(Share),
    run: shares.search,
  }),
  appEndpoint('DELETE /board-share/{id}', {
    summary: 'Withdraw an unsent share',
    formerPaths: ['/board/share/{id}'],
    needs: 'share',
    params: z.object({ id: params.pathId(advocacyIds.advocateShare) }),
    reply: done,
    run: shares.remove,
  }),
  appEndpoint('GET /board-profile', {
    summary: 'List the profiles that the caller connected for shares',
    formerPaths: ['/board/profile'],
    needs: 'share',
    params: z.object({}),
    reply: list(OwnProfile),
    run: profiles.list,
  }),
  appEndpoint('DELETE /board-profile/{id}', {
    summary: 'Delete a profile of the caller and its unsent shares',
    formerPaths: ['/board/profile/{id}'],
    needs: 'share',
    params: z.object({ id: params.pathId(profileKey) }),
    reply: done,
    run: profiles.remove,
  }),
]
