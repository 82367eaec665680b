import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parameterFields } from '#kernel/http/request/parameter-fields.ts'
import { type Endpoint, isOpen } from '#kernel/http/route/endpoint.ts'
import { may, roles } from '#kernel/permissions.ts'
import type { JsonSchema } from '#kernel/wire/fields.ts'
import { type Reference, referencesIn, structureOf } from '#kernel/wire/parameter.ts'
import type { CallResult } from '../support/caller.ts'
import { deep } from '../support/randomness.ts'
import { startTestService, type TestService } from '../support/service.ts'
import type { Entities } from './area-contract.ts'
import { byName, inOrder } from './collected-contracts.ts'
import type { Example } from './examples.ts'
import { exampleFor, operations, routeOf } from './operations.ts'
import { createReferenceData, remedy, scopedKinds } from './reference-data.ts'

/** Ids that the caller may not see, ids of another account and missing ids can't be distinguished. */

let service: TestService
let data: Awaited<ReturnType<typeof createReferenceData>>
beforeAll(async () => {
  service = await startTestService({ picture: true })
  data = await createReferenceData(service)
}, 120_000)
afterAll(() => service.stop())

const referencesOf = (endpoint: Endpoint) =>
  parameterFields(endpoint).flatMap(({ name, schema }) => referencesIn(schema, [name]))

/** Operations without authentication reveal nothing about an account. */
const guarded = operations.filter((endpoint) => !isOpen(endpoint))
const isInPath = ({ path }: Endpoint, { at }: Reference) => path.includes(`{${at[0]}}`)
/** Admins see everything; of the other roles a publisher may do most. */
const isForAdmins = ({ needs }: Endpoint) => needs === 'administer'
const isScoped = (endpoint: Endpoint, kind: string) => scopedKinds.includes(kind) && !isForAdmins(endpoint)
/** Path ids whose visibility does not depend on teams are covered by every-endpoint.test.ts. */
const testedReferences = (endpoint: Endpoint) =>
  referencesOf(endpoint).filter((reference) =>
    deep(!isInPath(endpoint, reference) || reference.kinds.some((kind) => isScoped(endpoint, kind)), true),
  )
const referring = guarded.filter((endpoint) => testedReferences(endpoint).length > 0)
const counted = { references: 0, cases: 0 }

describe.each(referring.map((endpoint) => [routeOf(endpoint), endpoint] as const))('%s', (route, endpoint) => {
  const newExample = () => exampleFor(endpoint, service)
  let cached: Promise<Example> | undefined
  /** Not changed by reads or by rejected requests. */
  const example = () => {
    cached ??= newExample()
    return cached
  }
  // every-endpoint.test.ts checks that the example itself succeeds.
  const callWith = async (given: Example, reference: Reference, id: string) => {
    const as = isForAdmins(endpoint) ? service.admin : service.publisher
    const inPath = isInPath(endpoint, reference)
    const at = route.replace(/\{\w+\}/, (inPath ? id : given.id) ?? '')
    // Further filters of a list would only hide matches.
    const others = endpoint.method === 'GET' && !inPath ? {} : (given.body ?? {})
    const body = inPath ? given.body : withId(others, reference, id)
    const answer = await as(at, body ? { body } : {})
    if (endpoint.method !== 'GET' && answer.status < 400) cached = undefined
    return answer
  }

  for (const reference of testedReferences(endpoint)) {
    test(`responds alike to hidden, foreign and unknown ids in ${reference.at.join('.')}`, async () => {
      for (const kind of reference.kinds) {
        const given = await example()
        const answerTo = async (entities: Entities) => {
          const answer = masked(await callWith(given, reference, idOf(entities, kind)), idOf(entities, kind))
          return endpoint.method === 'GET'
            ? answer
            : { ...answer, text: answer.text.replace(generatedValues, 'GENERATED') }
        }
        const nothing = await answerTo(data.absent)
        expect(nothing.status).toBeLessThan(500)
        expect(await answerTo(data.foreign), `another account’s ${kind}`).toEqual(nothing)
        const scoped = isScoped(endpoint, kind)
        if (scoped) expect(await answerTo(data.invisible), `an invisible ${kind}`).toEqual(nothing)
        counted.cases += scoped ? 3 : 2
        // Visible entities must be found: otherwise the test would prove nothing.
        if (endpoint.needs === 'read' && !ineffective.has(`${route} ${reference.at.join('.')}`))
          expect(await answerTo(data.seen), `a ${kind} that is seen`).not.toEqual(nothing)
      }
      counted.references++
    })
  }
})

const ineffective = byName(({ ineffective }) => ineffective)

test('every id parameter declares the kind of its entity', () => {
  const undeclared = operations.flatMap((endpoint) =>
    parameterFields(endpoint)
      .flatMap(({ name, schema }) => namesIn(name, schema))
      .filter((name) => /(^i|I)ds?$/.test(name) && !foreignIds.includes(name))
      .map((name) => `${routeOf(endpoint)} ${name}`),
  )
  expect(undeclared).toEqual([])
})

/** Ids of networks and external systems: no entity here has them. */
const foreignIds: readonly string[] = ['remoteId', 'remoteIds', 'linkedRecordId', 'newLinkedRecordId', 'clientId']

test('all references were tested', () => {
  const declared = guarded.flatMap(testedReferences).length
  console.log(`${counted.references} references, ${counted.cases} cases`)
  expect(counted.references).toBe(declared)
  expect(declared).toBeGreaterThan(130)
})

test('every GET accepts every role, except for the restricted reads of the areas', () => {
  const closed = operations.filter(({ method, needs }) => method === 'GET' && !roles.every((role) => may(role, needs)))
  expect(closed.map(routeOf).sort()).toEqual(inOrder(({ restrictedReads }) => restrictedReads).sort())
})

function idOf(entities: Entities, kind: string): string {
  const id = entities[kind]
  if (!id) throw new Error(`There is no entity of the kind ${kind}. ${remedy}`)
  return id
}

/** The example with the id in place of the reference. */
function withId(body: object, { at, isList }: Reference, id: string): object {
  const copy = structuredClone(body)
  let target = copy as Record<string, unknown>
  for (const [index, name] of at.slice(0, -1).entries()) {
    target[name] ??= at[index + 1] === '0' ? [{}] : {}
    target = target[name] as Record<string, unknown>
  }
  target[at.at(-1) ?? ''] = isList ? [id] : id
  return copy
}

const volatileHeaders = new Set(['date', 'x-request-id', 'content-length'])

/**
 * An entity created although an id matched nothing, as the contract requires for a story's tags and for the filters of views, dashboards
 * and widgets, has its own id, times and position.
 */
const generatedValues =
  /0AS\w{12}|0iv\w{12}|00[45]\w{12}|dsh\w{12}|wdg\w{12}|"Y":\d+|"Tag":"\\"\d+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g

const masked = ({ status, headers, text }: CallResult, id: string) => ({
  status,
  headers: [...headers].filter(([name]) => !volatileHeaders.has(name)),
  text: text.replaceAll(id, 'ID'),
})

/** Names of properties without a reference, at any depth. */
function namesIn(name: string, schema: JsonSchema): string[] {
  if (referencesIn(schema, []).some(({ at }) => at.length === 0)) return []
  const structure = structureOf(schema)
  const properties = Object.entries((structure.properties ?? {}) as { [name: string]: JsonSchema })
  const items = structure.items as JsonSchema | undefined
  return [
    name,
    ...properties.flatMap(([inner, property]) => namesIn(inner, property)),
    ...(items ? namesIn('', items) : []),
  ]
}
