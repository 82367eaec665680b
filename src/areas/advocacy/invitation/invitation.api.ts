import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listOf, text } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, list, parts } from '#kernel/wire/replies.ts'
import { acceptInvitation, enterBoard, requestEntry } from './board-entry.ts'
import { BoardSignUp, InvitationError, InvitedAdvocate, invitation, invitations } from './invitation-shape.ts'
import { invite, inviteMany } from './invite.ts'
import { type Confirmed, requestSignUp } from './sign-up.ts'
import * as signUps from './sign-up-row.ts'

export const endpoints = [
  endpoint('POST /advocate', {
    operationId: 'inviteAdvocate',
    summary: 'Invite a person to a board by email, or an advocate again by userId',
    needs: 'approve',
    params: invitation,
    reply: parts({ Users: listOf(InvitedAdvocate) }),
    run: invite,
  }),
  endpoint('POST /advocate/bulk', {
    operationId: 'inviteAdvocates',
    summary: 'Invite up to 100 people to a board; failed invitations are listed in Errors',
    needs: 'approve',
    params: invitations,
    reply: parts({ Users: listOf(InvitedAdvocate), Errors: listOf(InvitationError) }),
    run: inviteMany,
  }),
]

const token = params.line({ max: 100 })
const name = params.line({ min: 0, max: 32 }).optional()
const slug = params.line({ max: 64 })
const session = parts({ UserId: text, AccountId: text })
const paging = { count: oneOf(25, 50, 100), order: sortBy({ created: 'date' }, 'created,0') }

export const appEndpoints = [
  appEndpoint('POST /board/invitation', {
    operationId: 'acceptBoardInvitation',
    summary:
      'Accept a board invitation or confirm a sign-up with the emailed link and sign in; the password is optional if the board requires none',
    needs: 'enter',
    params: z.object({ token, password: params.secret().optional(), firstName: name, lastName: name }),
    reply: session,
    openly: acceptInvitation,
    cookie: cookieOf,
  }),
  appEndpoint('POST /board/entry-link', {
    operationId: 'requestBoardEntryLink',
    summary: 'Email a sign-in link for a board without passwords; the response is the same for every address',
    needs: 'enter',
    params: z.object({ email: params.email, slug }),
    reply: done,
    openly: requestEntry,
  }),
  appEndpoint('POST /board/entry', {
    operationId: 'enterBoard',
    summary: 'Sign in with the emailed link',
    needs: 'enter',
    params: z.object({ token }),
    reply: session,
    openly: enterBoard,
    cookie: cookieOf,
  }),
  appEndpoint('POST /board/sign-up', {
    operationId: 'signUpToBoard',
    summary: 'Sign up for a board; the emailed link takes the seat, and the response is the same for every address',
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
    summary: 'List the sign-ups of a board without a seat',
    needs: 'approve',
    params: listParams({ boardId: params.pathId(scopeIds.board) }, paging),
    reply: list(BoardSignUp),
    run: signUps.search,
  }),
  appEndpoint('GET /board/{boardId}/sign-up', {
    operationId: 'listManagedBoardSignUps',
    summary: 'List the sign-ups of a board that the caller manages',
    needs: 'share',
    params: listParams({ boardId: params.pathId(scopeIds.board) }, paging),
    reply: list(BoardSignUp),
    run: signUps.searchAsManager,
  }),
]

/** Users with a password or a role sign in themselves, so no session is created. */
function cookieOf({ token, seconds }: Confirmed) {
  return token === undefined ? undefined : { token, seconds }
}
