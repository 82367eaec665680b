import { idKinds } from '#main/registry.ts'
import type { Caller } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { demoAccount, otherAccount, type TestService } from '../support/service.ts'
import type { Entities, Place } from './area-contract.ts'
import { byName, inOrder } from './collected-contracts.ts'

/** Kinds whose visibility depends on teams; all others are visible to the whole account. */
export const scopedKinds: readonly string[] = inOrder(({ scopedKinds }) => scopedKinds)

const asiaPacific = '025demo00000002'

const makers = byName(({ entities }) => entities)

/** Entities visible to the whole demo account, to Asia Pacific only, and to the other account only. */
export async function createReferenceData(service: TestService) {
  const seen = await entitiesIn(service, service.admin, demoAccount, 'seen')
  const invisible = await entitiesIn(service, service.admin, demoAccount, 'hidden')
  const foreign = await entitiesIn(service, service.otherAdmin, otherAccount, 'others')
  for (const kind of inOrder(({ scopes }) => scopes))
    await expectDone(service.admin(`POST /team-entity/${invisible[kind]}`, { body: { teamIds: asiaPacific } }))
  // A bridge that failed would prove nothing.
  const strict: TestService = { ...service, admin: (...given) => expectDone(service.admin(...given)) }
  for (const bridge of inOrder(({ bridge }) => (bridge ? [bridge] : []))) await bridge(strict, seen, invisible)
  const known = Object.fromEntries(byName(({ known }) => known))
  return { seen: { ...seen, ...known }, invisible, foreign, absent }
}

/** Well-formed ids that do not exist. */
const absent: Entities = {
  ...Object.fromEntries(idKinds.map(({ name, prefix }) => [name, `${prefix}absent000000`])),
  ...Object.fromEntries(byName(({ absent }) => absent)),
}

/** One entity of every kind. */
async function entitiesIn(service: TestService, as: Caller, account: string, name: string): Promise<Entities> {
  const ids = new Map<string, Promise<string>>()
  const place: Place = {
    service,
    account,
    name,
    as,
    entity(kind) {
      const id = ids.get(kind) ?? create(kind)
      ids.set(kind, id)
      return id
    },
    async made(route, body, property) {
      const { json } = await expectDone(as(route, { body }))
      return json[property].Id ?? json[property].ID
    },
    query: (text, values) => ownerQuery(service.databaseUrl, text, values),
  }
  const create = async (kind: string) => {
    const maker = makers.get(kind)
    if (!maker) throw new Error(`Nothing creates an entity of the kind ${kind}. ${remedy}`)
    return maker(place)
  }
  const entities: Record<string, string> = {}
  for (const kind of makers.keys()) entities[kind] = await place.entity(kind)
  return entities
}

export const remedy =
  'Add it to `entities` in the contract fixture of its area, src/areas/<area>/<area>.contract.fixture.ts.'

async function expectDone(answering: ReturnType<Caller>) {
  const answer = await answering
  if (answer.status !== 200) throw new Error(answer.text)
  return answer
}
