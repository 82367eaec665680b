/// <reference types="vite/types/importMeta.d.ts" />
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { areas, registry } from '#main/registry.ts'
import type { AreaContract } from './area-contract.ts'

const modules = import.meta.glob<{ contract: AreaContract }>('../../src/areas/*/*.contract.fixture.ts', { eager: true })

/** The contributions of all areas, ordered by the names of their files. */
export const contracts: readonly { readonly area: string; readonly contract: AreaContract }[] = Object.entries(modules)
  .toSorted(([one], [other]) => (one < other ? -1 : 1))
  .map(([file, { contract }]) => ({ area: file.split('/').at(-2) ?? '', contract }))

/** Named contributions of all areas. It is an error if two areas contribute the same name. */
export function byName<Value>(
  of: (contract: AreaContract) => { readonly [name: string]: Value } | undefined,
): ReadonlyMap<string, Value> {
  const all = new Map<string, Value>()
  for (const { area, contract } of contracts)
    for (const [name, value] of Object.entries(of(contract) ?? {})) {
      if (all.has(name)) throw new Error(`${fixtureOf(area)} contributes ${name}, as another area does.`)
      all.set(name, value)
    }
  return all
}

export const inOrder = <Item>(of: (contract: AreaContract) => readonly Item[] | undefined): Item[] =>
  contracts.flatMap(({ contract }) => of(contract) ?? [])

/** The file to edit. */
export const fixtureOf = (area: string) => `src/areas/${area}/${area}.contract.fixture.ts`

/** The area that declares an endpoint. */
export const areaOf = ({ method, base, path }: Endpoint) => declaring.get(`${method} ${base}${path}`) ?? '<area>'

const declaredBy = (area: (typeof areas)[number]): readonly Endpoint[] =>
  [area.endpoints, area.appEndpoints].flatMap((declared) =>
    typeof declared === 'function' ? declared(registry) : (declared ?? []),
  )

const declaring = new Map(
  areas.flatMap((area) =>
    declaredBy(area).map(({ method, base, path }) => [`${method} ${base}${path}`, area.name] as const),
  ),
)
