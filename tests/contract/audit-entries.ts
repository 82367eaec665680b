import { expect } from 'vitest'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import type { CallResult } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { demoAccount, demoKey, type TestService } from '../support/service.ts'
import { byName } from './collected-contracts.ts'
import { demoAdmin as admin, type Example, demoPublisher as publisher } from './examples.ts'
import { callerFor, routeOf } from './operations.ts'

/** Operations that have one audit entry if successful, and none if rejected. */
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

const exceptions = byName(({ audit }) => audit)

export const requiresParameters = (route: string, { id, chosen, body }: Example) =>
  Boolean(body) && (!id || chosen) && !exceptions.get(route)?.requiresNothing

function idIn({ json }: CallResult): string | undefined {
  const made = Object.values(json as object).find((value) => value?.Id ?? value?.ID)
  return made?.Id ?? made?.ID
}

/** Reads the audit log of a service, and collects everything sent to it and the secrets in its responses. */
export function watchAuditLog({ databaseUrl, ...service }: TestService) {
  let last = ''
  const sentTexts: string[] = []

  const auditEntries = (after: string) =>
    ownerQuery<AuditEntry>(
      databaseUrl,
      `select id, account_id as "accountId", user_id as "userId", via, via_id as "viaId", address, operation,
        entity_id as "entityId", fields, refused from audit_log where id > $1 order by id`,
      [after],
    )

  /** Audit entries since the last call: ids are in order of time. */
  async function next(): Promise<AuditEntry[]> {
    const rows = await auditEntries(last)
    last = rows.at(-1)?.id ?? last
    return rows
  }

  function recordTexts(value: unknown) {
    if (typeof value === 'string') sentTexts.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(recordTexts)
  }

  async function expectedId(route: string, example: Example, answer: CallResult) {
    const { entity } = exceptions.get(route) ?? {}
    if (typeof entity === 'function') return entity({ example, answer, databaseUrl })
    const { id, body } = example
    return id ?? (body as { id?: string } | undefined)?.id ?? entity ?? idIn(answer)
  }

  /** By an API key, unless it is a sign-in operation. */
  function defaultActor(endpoint: Endpoint): Partial<AuditEntry> {
    const by = exceptions.get(routeOf(endpoint))?.signsInBy
    if (by) return { via: by, viaId: '', userId: expect.any(String) }
    const isAdmin = callerFor(endpoint, { ...service, databaseUrl }) === service.admin
    return { via: 'key', viaId: expect.stringMatching(/^key/), userId: isAdmin ? admin : publisher }
  }

  /** Exactly one entry for the operation, and none for rejected requests. */
  async function expectOne(endpoint: Endpoint, example: Example, answer: CallResult, who = defaultActor(endpoint)) {
    const rows = await next()
    recordTexts(example.body)
    recordTexts(answer.json.Secret ?? answer.json.Webhook?.Secret ?? answer.json.ApiKey?.Key)
    const operation = routeOf(endpoint)
    const { unlisted, signsInBy } = exceptions.get(operation) ?? {}
    if (unlisted) return expect(rows).toEqual([])
    const row = { accountId: demoAccount, address: '127.0.0.1', operation, refused: false, ...who }
    const entityId = await expectedId(operation, example, answer)
    expect(entityId).toEqual(expect.stringMatching(/^\w{3}/))
    const fields = signsInBy ? [] : Object.keys(example.body ?? {}).sort()
    expect(rows).toEqual([{ ...row, id: expect.stringMatching(/^0dd/), entityId, fields }])
    if (signsInBy) expect(rows[0]?.userId).toBe(answer.json.UserId)
  }

  /** No password, secret, token or key in the log, and no content either. */
  async function expectNoSecrets(secrets: readonly string[] = []) {
    const rows = await auditEntries('')
    const ids = new Set(rows.flatMap(({ entityId, userId }) => [entityId, userId]))
    const hidden = [demoKey, ...secrets, ...sentTexts].filter((text) => text.length >= 8 && !ids.has(text))
    const log = JSON.stringify(await ownerQuery(databaseUrl, 'select audit_log::text as row from audit_log'))
    expect(hidden.filter((text) => log.includes(text))).toEqual([])
    return { rows, sentTexts }
  }

  return { next, recordTexts, expectOne, expectNoSecrets }
}
