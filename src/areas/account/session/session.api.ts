import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { callerRoles, roles } from '#kernel/permissions.ts'
import {
  choice,
  datetime,
  flag,
  listOf,
  nullableText,
  optional,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { accountIds } from '../declarations.ts'
import * as invitations from './invitation.ts'
import { invite } from './invitation.ts'
import { changePassword, checkPresent, previewReset, requestReset } from './password.ts'
import * as sessions from './session.ts'
import { choosePassword, signIn } from './sign-in.ts'

const SignedInUser = shape('SignedInUser', {
  Id: text,
  Name: text,
  Email: text,
  Timezone: text,
  Role: choice(callerRoles),
})
const NamedAccount = shape('NamedAccount', { Id: text, Name: text })
const Session = shape('Session', {
  Id: text,
  Created: datetime,
  LastUsed: datetime,
  Ends: datetime,
  Address: text,
  Agent: text,
  Stays: flag,
  Current: flag,
})
const InvitedUser = shape('InvitedUser', { Id: text, Name: text, Email: text, Role: choice(roles) })

const Invitation = shape('Invitation', {
  Id: text,
  Name: text,
  Email: text,
  Role: choice(roles),
  Invited: datetime,
  InvitedBy: text,
  InvitedByName: text,
  Ends: zeroDatetime,
  State: choice(invitations.invitationStates),
})

const ResetKey = shape('ResetKey', { Id: text, Name: text, Created: datetime, LastUsed: zeroDatetime })

const name = params.line({ min: 0, max: 64 }).optional()
const revokeKeys = params.flag.optional()
const token = params.line({ max: 100 })

/** GET /session returns the full details. */
const begun = parts({ UserId: text, AccountId: text })

export const endpoints = [
  appEndpoint('POST /session', {
    operationId: 'signIn',
    summary: 'Sign in; if email and password match several accounts, the response lists them',
    needs: 'enter',
    params: z.object({
      email: params.line({ max: 254 }),
      password: params.secret({ min: 1 }),
      account: params.line({ max: 15 }).optional(),
      stays: params.flag.optional(),
    }),
    reply: parts({ UserId: optional(text), AccountId: optional(text), Accounts: listOf(NamedAccount) }),
    async openly(installation, visitor, credentials) {
      const { begun, accounts = [] } = await signIn(installation, visitor, credentials)
      return { ...begun, accounts }
    },
    cookie: ({ token, seconds }) => (token === undefined ? undefined : { token, seconds }),
  }),
  appEndpoint('GET /session', {
    summary: 'Get the signed-in user with role and abilities',
    needs: 'enter',
    params: z.object({}),
    reply: parts({
      Via: choice(['key', 'session']),
      SessionId: nullableText,
      User: SignedInUser,
      Account: NamedAccount,
      Abilities: listOf(text),
      TeamIds: listOf(text),
    }),
    run: sessions.currentSession,
  }),
  appEndpoint('DELETE /session', {
    operationId: 'signOut',
    summary: 'Sign out',
    needs: 'enter',
    params: z.object({}),
    reply: done,
    run: sessions.endCurrent,
    cookie: () => 'none',
  }),
  appEndpoint('GET /sessions', {
    summary: 'List the sessions of the caller',
    needs: 'enter',
    params: z.object({}),
    reply: list(Session),
    run: sessions.list,
  }),
  appEndpoint('DELETE /session/{id}', {
    summary: 'End a session of the caller',
    needs: 'enter',
    params: z.object({ id: params.pathId(accountIds.session) }),
    reply: done,
    run: sessions.end,
  }),
  appEndpoint('DELETE /sessions', {
    operationId: 'deleteOtherSessions',
    summary: 'End all other sessions of the caller',
    needs: 'enter',
    params: z.object({}),
    reply: done,
    run: async (context) => context.about({ id: context.userId, count: await sessions.endOthers(context) }),
  }),
  appEndpoint('POST /password', {
    operationId: 'changePassword',
    summary:
      'Change the caller’s password and end all other sessions; revokeKeys also revokes API keys and the calendar link',
    needs: 'enter',
    params: z.object({ present: params.secret({ min: 1 }), password: params.secret(), revokeKeys }),
    reply: done,
    before: checkPresent,
    run: changePassword,
  }),
  appEndpoint('POST /password-reset', {
    operationId: 'requestPasswordReset',
    summary: 'Email a link to reset the password; the response is the same for every address',
    needs: 'enter',
    params: z.object({ email: params.email }),
    reply: done,
    openly: requestReset,
  }),
  appEndpoint('POST /password-reset/preview', {
    operationId: 'previewPasswordReset',
    summary: 'List the API keys and the calendar link that a reset with the emailed link revokes',
    needs: 'enter',
    readsOnly: true,
    params: z.object({ token }),
    reply: parts({ Email: text, HasCalendarLink: flag, ApiKeys: listOf(ResetKey) }),
    openly: previewReset,
  }),
  appEndpoint('POST /password-reset/choice', {
    operationId: 'resetPassword',
    summary:
      'Reset the password with the emailed link and sign in; ends other sessions and revokes the calendar link, and API keys unless revokeKeys is 0',
    needs: 'enter',
    params: z.object({ token, password: params.secret(), revokeKeys }),
    reply: begun,
    openly: (installation, visitor, chosen) => choosePassword(installation, visitor, 'reset', chosen),
    cookie: cookieOf,
  }),
  appEndpoint('POST /invitation', {
    operationId: 'inviteUser',
    summary: 'Invite a user by email; a repeated call sends another link',
    needs: 'administer',
    params: z.object({ email: params.email, role: params.choice(roles), firstName: name, lastName: name }),
    reply: item('User', InvitedUser),
    run: invite,
  }),
  appEndpoint('GET /invitation', {
    summary: 'List pending invitations, latest first',
    needs: 'read',
    params: z.object({}),
    reply: list(Invitation),
    run: invitations.list,
  }),
  appEndpoint('POST /invitation/{id}/send', {
    operationId: 'resendInvitation',
    summary: 'Resend an invitation with a new link, by the id of the user',
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user) }),
    reply: done,
    run: invitations.sendAgain,
  }),
  appEndpoint('POST /invitation/{id}/link', {
    operationId: 'createInvitationLink',
    summary: 'Create an invitation link to hand over; it replaces the emailed one',
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user) }),
    reply: parts({ Url: text }),
    run: invitations.linkFor,
  }),
  appEndpoint('DELETE /invitation/{id}', {
    summary: 'Withdraw an invitation, by the id of the user',
    needs: 'administer',
    params: z.object({ id: params.pathId(accountIds.user) }),
    reply: done,
    run: invitations.withdraw,
  }),
  appEndpoint('POST /invitation/choice', {
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation with the emailed link and sign in',
    needs: 'enter',
    params: z.object({ token, password: params.secret(), firstName: name, lastName: name }),
    reply: begun,
    openly: (installation, visitor, chosen) => choosePassword(installation, visitor, 'invitation', chosen),
    cookie: cookieOf,
  }),
]

function cookieOf({ token, seconds }: sessions.Begun) {
  return { token, seconds }
}
