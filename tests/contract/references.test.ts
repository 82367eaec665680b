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
import { furnish, remedy, scopedKinds } from './reference-data.ts'

/** Ids that the caller may not see, ids of another account and missing ids can't be distinguished. */

let service: TestService
let world: Awaited<ReturnType<typeof furnish>>
beforeAll(async () => {
  service = await startTestService({ picture: true })
  world = await furnish(service)
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
const triedOf = (endpoint: Endpoint) =>
  referencesOf(endpoint).filter((reference) =>
    deep(!isInPath(endpoint, reference) || reference.kinds.some((kind) => isScoped(endpoint, kind)), true),
  )
const referring = guarded.filter((endpoint) => triedOf(endpoint).length > 0)
const counted = { references: 0, cases: 0 }

describe.each(referring.map((endpoint) => [routeOf(endpoint), endpoint] as const))('%s', (route, endpoint) => {
  const newExample = () => exampleFor(endpoint, service)
  let kept: Promise<Example> | undefined
  /** Not changed by reads or by rejected requests. */
  const example = () => {
    kept ??= newExample()
    return kept
  }
  // every-endpoint.test.ts checks that the example itself succeeds.
  const ask = async (given: Example, reference: Reference, id: string) => {
    const as = isForAdmins(endpoint) ? service.admin : service.publisher
    const inPath = isInPath(endpoint, reference)
    const at = route.replace(/\{\w+\}/, (inPath ? id : given.id) ?? '')
    // Further filters of a list would only hide matches.
    const others = endpoint.method === 'GET' && !inPath ? {} : (given.body ?? {})
    const body = inPath ? given.body : withId(others, reference, id)
    const answer = await as(at, body ? { body } : {})
    if (endpoint.method !== 'GET' && answer.status < 400) kept = undefined
    return answer
  }

  for (const reference of triedOf(endpoint)) {
    test(`does not tell invisible, foreign and absent apart in ${reference.at.join('.')}`, async () => {
      for (const kind of reference.kinds) {
        const given = await example()
        const answerTo = async (things: Entities) => {
          const answer = masked(await ask(given, reference, idOf(things, kind)), idOf(things, kind))
          return endpoint.method === 'GET' ? answer : { ...answer, text: answer.text.replace(ofItsOwn, 'OWN') }
        }
        const nothing = await answerTo(world.absent)
        expect(nothing.status).toBeLessThan(500)
        expect(await answerTo(world.foreign), `another account’s ${kind}`).toEqual(nothing)
        const scoped = isScoped(endpoint, kind)
        if (scoped) expect(await answerTo(world.invisible), `an invisible ${kind}`).toEqual(nothing)
        counted.cases += scoped ? 3 : 2
        // Visible entities must be found: otherwise the test would prove nothing.
        if (endpoint.needs === 'read' && !ineffective.has(`${route} ${reference.at.join('.')}`))
          expect(await answerTo(world.seen), `a ${kind} that is seen`).not.toEqual(nothing)
      }
      counted.references++
    })
  }
})

const ineffective = byName(({ ineffective }) => ineffective)

test('every parameter that holds an id says of what', () => {
  const silent = operations.flatMap((endpoint) =>
    parameterFields(endpoint)
      .flatMap(({ name, schema }) => namesIn(name, schema))
      .filter((name) => /(^i|I)ds?$/.test(name) && !foreignIds.includes(name))
      .map((name) => `${routeOf(endpoint)} ${name}`),
  )
  expect(silent).toEqual([])
})

/** Ids of networks and external systems: no entity here has them. */
const foreignIds: readonly string[] = ['remoteId', 'remoteIds', 'linkedRecordId', 'newLinkedRecordId', 'clientId']

test('all references were tried', () => {
  const declared = guarded.flatMap(triedOf).length
  console.log(`${counted.references} references, ${counted.cases} cases`)
  expect(counted.references).toBe(declared)
  expect(declared).toBeGreaterThan(130)
})

test('every GET is open to every role, except for those that their areas name', () => {
  const closed = operations.filter(({ method, needs }) => method === 'GET' && !roles.every((role) => may(role, needs)))
  expect(closed.map(routeOf).sort()).toEqual(inOrder(({ restrictedReads }) => restrictedReads).sort())
})

function idOf(things: Entities, kind: string): string {
  const id = things[kind]
  if (!id) throw new Error(`There is no entity of the kind ${kind}. ${remedy}`)
  return id
}

/** The example with the id in place of the reference. */
function withId(body: object, { at, isList }: Reference, id: string): object {
  const copy = structuredClone(body)
  let place = copy as Record<string, unknown>
  for (const [index, name] of at.slice(0, -1).entries()) {
    place[name] ??= at[index + 1] === '0' ? [{}] : {}
    place = place[name] as Record<string, unknown>
  }
  place[at.at(-1) ?? ''] = isList ? [id] : id
  return copy
}

const passing = new Set(['date', 'x-request-id', 'content-length'])

/**
 * An entity created although an id matched nothing, as the contract requires for a story's tags and for the filters of views, dashboards
 * and widgets, has its own id, times and position.
 */
const ofItsOwn =
  /0AS\w{12}|0iv\w{12}|00[45]\w{12}|dsh\w{12}|wdg\w{12}|"Y":\d+|"Tag":"\\"\d+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g

const masked = ({ status, headers, text }: CallResult, id: string) => ({
  status,
  headers: [...headers].filter(([name]) => !passing.has(name)),
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
