import type { Body } from '../../../wire/call.ts'

export type Deed = Body<'GET /audit'>['Items'][number]

const app = (...routes: string[]) => routes.map((route) => route.replace(' /', ' /app/api/'))

/** What people look for in the audit log, as the operations that do it. */
export const deedGroups = {
  signIns: [
    ...app('POST /session', 'DELETE /session', 'DELETE /session/{id}', 'DELETE /sessions', 'POST /password'),
    ...app('POST /password-reset/choice', 'POST /invitation/choice'),
  ],
  people: [
    'POST /user',
    'POST /user/{id}',
    'DELETE /user/{id}',
    'POST /team',
    'POST /team/{id}',
    'DELETE /team/{id}',
    'POST /team-entity/{entityId}',
    'DELETE /team-entity/{entityId}',
    'user role',
    'user invite',
    'user password',
    ...app('POST /user/{id}/role', 'POST /user/{id}/media-library', 'POST /invitation', 'DELETE /invitation/{id}'),
    ...app('POST /invitation/{id}/send', 'POST /invitation/{id}/link', 'POST /me'),
  ],
  keys: [...app('POST /api-key', 'DELETE /api-key/{id}'), 'key create', 'key revoke'],
  posts: [
    'POST /post',
    'POST /post/{id}',
    'DELETE /post/{id}',
    'POST /post/{id}/change-campaign',
    'POST /message',
    'POST /message/{id}',
    'DELETE /message/{id}',
    ...app('POST /compose', 'POST /post/{id}/repair', 'POST /postlog/{id}/repair'),
  ],
  approvals: [
    'POST /workflow-item',
    'POST /workflow-item/{id}',
    'DELETE /workflow-item/{id}',
    ...app('POST /workflow-items', 'POST /workflow', 'PUT /workflow/{id}', 'DELETE /workflow/{id}'),
  ],
  profiles: [
    'PUT /credential/{id}',
    'DELETE /credential/{id}',
    'GET /app/connect/{network}/callback',
    'POST /app/connect/{network}/choice',
    'credential connect',
    ...app('POST /connect-offer/{id}'),
  ],
  webhooks: [
    'POST /webhook',
    'POST /webhook/{id}',
    'PUT /webhook/{id}',
    'DELETE /webhook/{id}',
    ...app('POST /webhook/{id}/rotate-secret', 'POST /webhook/{id}/resend-failed'),
  ],
} as const satisfies { [group: string]: readonly string[] }

export const groupNames = Object.keys(deedGroups) as (keyof typeof deedGroups)[]
