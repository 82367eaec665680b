import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listOf, text } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, list, parts } from '#kernel/wire/replies.ts'
import { acceptInvitation, enterBoard } from './acceptance.ts'
import { requestEntry } from './entry.job.ts'
import { BoardSignUp, InvitationError, InvitedAdvocate, invitation, invitations } from './invitation-shape.ts'
import { invite, inviteMany } from './invite.ts'
import { type Confirmed, requestSignUp } from './sign-up.ts'
import * as signUps from './sign-up-row.ts'

export const endpoints = [
  endpoint('POST /advocate', {
    operationId: 'inviteAdvocate',
    summary: 'Invite somebody to a board by email, or an advocate of it again by userId',
    needs: 'approve',
    params: invitation,
    reply: parts({ Users: listOf(InvitedAdvocate) }),
    run: invite,
  }),
  endpoint('POST /advocate/bulk', {
    operationId: 'inviteAdvocates',
    summary: 'Invite up to 100 people to a board; those who cannot be invited are told of in Errors',
    needs: 'approve',
    params: invitations,
    reply: parts({ Users: listOf(InvitedAdvocate), Errors: listOf(InvitationError) }),
    run: inviteMany,
  }),
]

const token = params.line({ max: 100 })
const name = params.line({ min: 0, max: 32 }).optional()
const slug = params.line({ max: 64 })
const begun = parts({ UserId: text, AccountId: text })
const paging = { count: oneOf(25, 50, 100), order: sortBy({ created: 'date' }, 'created,0') }

export const appEndpoints = [
  appEndpoint('POST /board/invitation', {
    operationId: 'acceptBoardInvitation',
    summary:
      'Accept an invitation to a board, or confirm a sign-up, with the mailed link, and be signed in; without a password where the board needs none',
    needs: 'enter',
    params: z.object({ token, password: params.secret().optional(), firstName: name, lastName: name }),
    reply: begun,
    openly: acceptInvitation,
    cookie: cookieOf,
  }),
  appEndpoint('POST /board/entry-link', {
    operationId: 'requestBoardEntryLink',
    summary: 'Get a link by mail to a board that does without passwords; the answer is the same for every address',
    needs: 'enter',
    params: z.object({ email: params.email, slug }),
    reply: done,
    openly: requestEntry,
  }),
  appEndpoint('POST /board/entry', {
    operationId: 'enterBoard',
    summary: 'Be signed in with the link that was mailed',
    needs: 'enter',
    params: z.object({ token }),
    reply: begun,
    openly: enterBoard,
    cookie: cookieOf,
  }),
  appEndpoint('POST /board/sign-up', {
    operationId: 'signUpToBoard',
    summary:
      'Sign up for a board that takes visitors: a link is mailed, and using it takes the seat; the response is the same for every address',
    needs: 'enter',
    params: z.object({
      slug,
      email: params.email,
      firstName: params.line({ max: 32 }),
      lastName: params.line({ max: 32 }),
    }),
    reply: done,
    openly: requestSignUp,
  }),
  appEndpoint('GET /boards/{boardId}/sign-up', {
    summary: 'List the sign-ups for a board that have no seat yet',
    needs: 'approve',
    params: listParams({ boardId: params.pathId(scopeIds.board) }, paging),
    reply: list(BoardSignUp),
    run: signUps.search,
  }),
  appEndpoint('GET /board/{boardId}/sign-up', {
    operationId: 'listManagedBoardSignUps',
    summary: 'List the sign-ups for a board that one manages',
    needs: 'share',
    params: listParams({ boardId: params.pathId(scopeIds.board) }, paging),
    reply: list(BoardSignUp),
    run: signUps.searchAsManager,
  }),
]

/** Who has a password or a role signs in by themselves, so that no session begins. */
function cookieOf({ token, seconds }: Confirmed) {
  return token === undefined ? undefined : { token, seconds }
}
