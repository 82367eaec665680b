import { describe, expect, test } from 'vitest'
import { appEndpoints, areas, endpoints, registry } from '#main/registry.ts'
import type { AreaContract } from './area-contract.ts'
import { areaOf, byName, contracts, fixtureOf } from './collected-contracts.ts'
import { exampleFor, operations, routeOf } from './operations.ts'

/** What the contract fixtures of the areas contribute belongs to their areas; the tests that use it require that it is complete. */

const routesOf = (area: string) => operations.filter((endpoint) => areaOf(endpoint) === area).map(routeOf)

describe.each(contracts)('the contract fixture of $area', ({ area, contract }) => {
  test('has examples and exceptions for operations of the area only', () => {
    const { examples = {}, audit = {}, ineffective = {}, restrictedReads = [] } = contract
    const references = Object.keys(ineffective).map((reference) => reference.split(' ').slice(0, 2).join(' '))
    const named = [...Object.keys(examples), ...Object.keys(audit), ...references, ...restrictedReads]
    expect(named.filter((route) => !routesOf(area).includes(route))).toEqual([])
  })

  test('causes events of the area only', () => {
    const own = areas.find(({ name }) => name === area)?.events ?? []
    const names = own.map(({ name }) => name)
    expect(Object.keys(contract.causes ?? {}).filter((event) => !names.includes(event))).toEqual([])
  })

  test('creates an entity of every kind that it mentions', () => {
    const { entities = {}, scopedKinds = [], scopes = [], absent = {}, known = {} } = contract
    const named = [...scopedKinds, ...scopes, ...Object.keys(absent), ...Object.keys(known)]
    expect(named.filter((kind) => !(kind in entities))).toEqual([])
  })
})

test('every operation has an example, and every event type a cause', () => {
  const examples = byName(({ examples }) => examples)
  expect(operations.map(routeOf).filter((route) => !examples.has(route))).toEqual([])
  const causes = byName(({ causes }) => causes)
  expect(registry.events.map(({ name }) => name).filter((name) => !causes.has(name))).toEqual([])
})

test('a missing example is an error that names the file to edit, and so is a name contributed twice', async () => {
  const [first] = endpoints
  if (!first) throw new Error('There are no endpoints.')
  const unknownEndpoint = { ...first, path: '/planted' }
  await expect(exampleFor(unknownEndpoint, {} as Parameters<typeof exampleFor>[1])).rejects.toThrow(
    'contract.fixture.ts',
  )
  expect(areaOf(appEndpoints[0] ?? first)).toBe('account')
  expect(fixtureOf('links')).toBe('src/areas/links/links.contract.fixture.ts')
  const sameName: (contract: AreaContract) => { planted: number } = () => ({ planted: 1 })
  expect(() => byName(sameName)).toThrow('planted')
})
