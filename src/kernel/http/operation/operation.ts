import type { AuditEntry, Subject } from '../../audit-entry.ts'
import { type Actor, changeInTurn, contextOf } from '../../change.ts'
import { tagOf } from '../../etag.ts'
import { externalIoOf } from '../../external-io.ts'
import type { Installation } from '../../installation.ts'
import { namesInLowerCase } from '../request/parameter-fields.ts'
import type { Answer } from '../response/response.ts'
import { type Account, begin, whole } from '../response/streaming.ts'
import type { Endpoint } from '../route/endpoint.ts'
import { type Outcome, once, type Replayable, type Stages } from './idempotency.ts'

/** The caller of a request without credentials. */
export const anonymous = { userId: '', role: 'read' } as const

/**
 * Runs one operation: reads statement by statement, everything else in one transaction. External I/O happens before or after that
 * transaction.
 */
export async function perform(
  installation: Installation,
  endpoint: Endpoint,
  actor: Actor,
  input: unknown,
  replay: Replayable | undefined,
): Promise<Outcome> {
  if (isReading(endpoint)) {
    const { database } = installation
    const { accountId, userId } = actor
    const db = userId === anonymous.userId ? database.forUnauthenticated(accountId) : database.forAccount(accountId)
    const context = contextOf(installation, actor, {
      db,
      attempt: 1,
      announce: neverTell,
      about: () => {},
      notifyChange: neverTell,
    })
    const found = endpoint.before && (await endpoint.before(externalIoOf(installation, actor), input as never))
    return database.thread.inTurn(accountId, async () => {
      const value = await runOf(endpoint)(context, input as never, found as never)
      const beginning = begin(() => endpoint.reply.pieces(value as never), accountOf(installation, accountId))
      const { body, rest } = beginning instanceof Promise ? await beginning : beginning
      return answer(endpoint, value, body, rest)
    })
  }
  const stages = stagesOf(installation, endpoint, actor, input)
  if (replay) return once({ installation, actor, replay, stages })
  const found = await stages.before()
  const made = await changeInTurn(installation, actor, (context) => stages.change(context, found))
  return (await stages.after?.()) ?? made
}

function stagesOf(installation: Installation, endpoint: Endpoint, actor: Actor, input: unknown): Stages {
  const { before, after } = endpoint
  const run = runOf(endpoint)
  const outside = () => externalIoOf(installation, actor)
  const answer = (value: unknown) => answerOf(installation, endpoint, actor.accountId, value)
  return {
    before: async () => before?.(outside(), input as never),
    async change(context, found) {
      const value = await run(context, input as never, found as never)
      if (actor.expected?.isCompared === false)
        throw new Error(`${endpoint.path} did not compare what the caller expects.`)
      context.about(subjectOf(endpoint, input, value, actor.accountId))
      return answer(value)
    },
    after:
      after &&
      (async () => {
        const value = await after(outside(), input as never)
        return value === undefined ? undefined : answer(value)
      }),
  }
}

function runOf({ run, method, path }: Endpoint): NonNullable<Endpoint['run']> {
  if (!run) throw new Error(`${method} ${path} is for who is not known yet.`)
  return run
}

export async function answerOf(
  installation: Installation,
  endpoint: Endpoint,
  accountId: string,
  value: unknown,
): Promise<Answer> {
  const body = await whole(() => endpoint.reply.pieces(value as never), accountOf(installation, accountId))
  return answer(endpoint, value, body)
}

const answer = ({ cookie, modified }: Endpoint, value: unknown, body: string, rest?: Answer['rest']): Answer => ({
  status: 200,
  body,
  rest,
  cookie: cookie?.(value as never),
  tag: modified && tagOf(modified(value as never)),
})

const accountOf = ({ database }: Installation, accountId: string): Account => ({
  owner: accountId,
  charge(milliseconds) {
    if (accountId !== '') database.thread.charge(accountId, milliseconds)
  },
})

function neverTell(): never {
  throw new Error('What only reads has nothing to announce.')
}

/** The name of an operation in logs and the audit log: contract operations without their base, whichever base was called. */
const operationOf = ({ method, base, path }: Pick<Endpoint, 'method' | 'base' | 'path'>) =>
  `${method} ${base === '/app/api' ? base : ''}${path}`

/** Returns a function that builds the audit entry of a request; undefined for operations that change nothing. */
export function auditReader(endpoint: Endpoint): (values: object) => AuditEntry | undefined {
  if (isReading(endpoint) || endpoint.unaudited) return () => undefined
  const operation = operationOf(endpoint)
  const declared = namesInLowerCase(endpoint)
  const inPath = new Set([...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  return (values) => {
    const names = Object.keys(values).map((name) => declared.get(name.toLowerCase()))
    const sent = names.filter((name) => name !== undefined && !inPath.has(name)) as string[]
    return { operation, fields: [...new Set(sent)].sort() }
  }
}

/** Whether it runs statement by statement and changes nothing. */
const isReading = ({ method, readsOnly }: Endpoint) => method === 'GET' || readsOnly === true

/** The changed object: named by the URL, else by the caller's parameters, else the created one, else the account itself. */
function subjectOf(endpoint: Endpoint, input: unknown, value: unknown, accountId: string): Subject {
  const named = /\{(\w+)\}/.exec(endpoint.path)?.[1]
  const id = (named && textOf(input, named)) || textOf(input, 'id') || textOf(value, 'id') || accountId
  return { id }
}

function textOf(of: unknown, name: string): string | undefined {
  const value = typeof of === 'object' && of !== null ? (of as { [name: string]: unknown })[name] : undefined
  return typeof value === 'string' ? value : undefined
}
