import { expect } from 'vitest'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import type { CallResult } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { demoAccount, demoKey, type TestService } from '../support/service.ts'
import { demoBoard, type Example } from './examples.ts'
import { callerFor, routeOf } from './operations.ts'

/** Operations that must be in the audit log: once if successful, never if rejected. */
export const isAudited = ({ method, readsOnly }: Endpoint) => method !== 'GET' && !readsOnly

interface AuditEntry {
  id: string
  accountId: string
  userId: string
  via: string
  viaId: string
  address: string
  operation: string
  entityId: string
  fields: string[]
  refused: boolean
}

export const admin = '00Ademo00000001'
const publisher = '00Ademo00000002'

/** Id in the audit log if neither path nor response contains it: the caller, or the account itself. */
const unnamed: { readonly [route: string]: string } = {
  'POST /notification': admin,
  'POST /app/api/me': publisher,
  'POST /app/api/password': publisher,
  'DELETE /app/api/sessions': publisher,
  'POST /app/api/calendar-key': publisher,
  'DELETE /app/api/calendar-key': publisher,
  'PUT /app/api/inbox/views': publisher,
  'POST /app/api/inbox/open': publisher,
  'POST /app/api/inbox/read': publisher,
  'DELETE /app/api/session': demoAccount,
  'POST /app/api/link-settings': demoAccount,
  'POST /app/api/conversations': demoAccount,
  'POST /advocate': demoBoard,
  'POST /advocate/bulk': demoBoard,
}
/** Not in the audit log: requesting a link for any email address changes nothing, and drafts concern only their author. */
const unlisted = [
  'POST /app/api/password-reset',
  'POST /app/api/board/entry-link',
  'POST /app/api/board/sign-up',
  'PUT /app/api/draft/{id}',
  'DELETE /app/api/draft/{id}',
]
/** Operations that sign a user in, with the method recorded in the audit log. */
const entrances: { readonly [route: string]: string } = {
  'POST /app/api/session': 'password',
  'POST /app/api/password-reset/choice': 'link',
  'POST /app/api/invitation/choice': 'link',
  'POST /app/api/board/invitation': 'link',
  'POST /app/api/board/entry': 'link',
}

/** Operations without required parameters. */
const freely = ['POST /notification', 'POST /app/api/link-settings', 'POST /app/api/me']
export const lacksWithout = (route: string, { id, chosen, body }: Example) =>
  Boolean(body) && (!id || chosen) && !freely.includes(route)

function idIn({ json }: CallResult): string | undefined {
  const made = Object.values(json as object).find((value) => value?.Id ?? value?.ID)
  return made?.Id ?? made?.ID
}

/** Reads the audit log of a service, and collects everything sent to it and the secrets in its responses. */
export function watchDeeds({ databaseUrl, ...service }: TestService) {
  let last = ''
  const told: string[] = []

  const deeds = (after: string) =>
    ownerQuery<AuditEntry>(
      databaseUrl,
      `select id, account_id as "accountId", user_id as "userId", via, via_id as "viaId", address, operation,
        entity_id as "entityId", fields, refused from deeds where id > $1 order by id`,
      [after],
    )

  /** Audit entries since the last call: ids are in order of time. */
  async function next(): Promise<AuditEntry[]> {
    const rows = await deeds(last)
    last = rows.at(-1)?.id ?? last
    return rows
  }

  function remember(value: unknown) {
    if (typeof value === 'string') told.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(remember)
  }

  async function latestSession(): Promise<string> {
    const [row] = await ownerQuery<{ id: string }>(databaseUrl, 'select max(id) as id from sessions')
    return row?.id ?? ''
  }

  async function expectedId(route: string, { id, body }: Example, answer: CallResult) {
    if (route === 'POST /app/api/session') return latestSession()
    if (route in entrances) return answer.json.UserId
    if (route === 'POST /app/api/compose') return answer.json.Items[0].Post.Id
    if (route === 'POST /app/api/workflow-items' || route === 'POST /app/api/posts') return answer.json.Items[0].Id
    if (route.endsWith(' /board-message')) return (body as { messageId: string }).messageId
    if (route === 'POST /lead-link-replace') return (body as { integrationId: string }).integrationId
    return id ?? (body as { id?: string } | undefined)?.id ?? unnamed[route] ?? idIn(answer)
  }

  /** By an API key, unless it is a sign-in operation. */
  function usually(endpoint: Endpoint): Partial<AuditEntry> {
    const by = entrances[routeOf(endpoint)]
    if (by) return { via: by, viaId: '', userId: expect.any(String) }
    const isAdmin = callerFor(endpoint, { ...service, databaseUrl }) === service.admin
    return { via: 'key', viaId: expect.stringMatching(/^key/), userId: isAdmin ? admin : publisher }
  }

  /** Exactly one entry for the operation, and none for rejected requests. */
  async function expectOne(endpoint: Endpoint, example: Example, answer: CallResult, who = usually(endpoint)) {
    const rows = await next()
    remember(example.body)
    remember(answer.json.Secret ?? answer.json.Webhook?.Secret ?? answer.json.ApiKey?.Key)
    const operation = routeOf(endpoint)
    if (unlisted.includes(operation)) return expect(rows).toEqual([])
    const row = { accountId: demoAccount, address: '127.0.0.1', operation, refused: false, ...who }
    const entityId = await expectedId(operation, example, answer)
    expect(entityId).toEqual(expect.stringMatching(/^\w{3}/))
    const fields = operation in entrances ? [] : Object.keys(example.body ?? {}).sort()
    expect(rows).toEqual([{ ...row, id: expect.stringMatching(/^0dd/), entityId, fields }])
    if (operation in entrances) expect(rows[0]?.userId).toBe(answer.json.UserId)
  }

  /** No password, secret, token or key in the log, and no content either. */
  async function expectNoWords(secrets: readonly string[] = []) {
    const rows = await deeds('')
    const ids = new Set(rows.flatMap(({ entityId, userId }) => [entityId, userId]))
    const words = [demoKey, ...secrets, ...told].filter((word) => word.length >= 8 && !ids.has(word))
    const log = JSON.stringify(await ownerQuery(databaseUrl, 'select deeds::text as row from deeds'))
    expect(words.filter((word) => log.includes(word))).toEqual([])
    return { rows, told }
  }

  return { next, remember, expectOne, expectNoWords }
}
