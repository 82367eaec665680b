import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NetworkError } from '#networks/connector/connector.ts'
import { firstCommentNetwork } from '#networks/content/content-check.ts'
import { type Kind, kindNames, type Outcome, outcomeOf } from './matrix/outcomes.ts'
import { makeWorld, perform, type World } from './matrix/performing.ts'
import { type Connected, connect, makeProfile, profileIdOf } from './matrix/sandbox-setup.ts'
import { grantedScopes, rulesFor, type Setup, setups } from './matrix/setups.ts'
import { sandboxNetworks } from './sandbox-networks.ts'

/** Each setup logs in at the sandbox, and does each kind of content there: nothing is refused that is said to work, and nothing is gated that works. */

let sandbox: Awaited<ReturnType<typeof sandboxNetworks>>
beforeAll(async () => {
  sandbox = await sandboxNetworks()
  await sandbox.control('/limits', { factor: 10_000 })
})
afterAll(() => sandbox.close())

const named = ({ network, recipe, kind, role }: Setup) => `${network}, ${recipe}, ${kind}: ${role}`
const offered = setups.filter(({ isNotOffered }) => !isNotOffered)
const surprises: string[] = []
let cells = 0

describe.each(offered.map((setup) => [named(setup), setup] as const))('%s', (_, setup) => {
  let connected: Connected
  let world: World
  beforeAll(async () => {
    await makeProfile(sandbox, setup)
    connected = await connect(sandbox, setup)
    world = await makeWorld(sandbox, setup)
  })

  test('the login grants what the recipe and the role say', () => {
    const { connector, grant } = connected
    if (!grant) throw new Error('The profile is not offered.')
    expect(grant.secret.scopes.toSorted()).toEqual(grantedScopes(setup).toSorted())
    expect([grant.kind, grant.tier]).toEqual([setup.kind, setup.tier])
    expect(connector.capabilities(grant)).toEqual(rulesFor(setup).capabilities)
  })

  if (setup.network === 'Twitter')
    test('who named the account is answered', async () => {
      const actor = connected.grant as NonNullable<Connected['grant']>
      expect(await attempt({ connector: connected.connector, actor }, 'naming')).toBe('done')
    })

  // Removing comes last: the others act upon the post.
  const order = kindNames.toSorted((one, other) => Number(one === 'remove') - Number(other === 'remove'))
  test.each(order)('%s', async (kind) => {
    cells += 1
    const outcome = outcomeOf(setup, kind)
    const actor = connected.grant as NonNullable<Connected['grant']>
    const before = await effects(setup)
    const met = await attempt({ connector: connected.connector, actor }, kind)
    const made = (await effects(setup)) - before
    if (met !== 'done' && outcome.state === 'works') surprises.push(`${named(setup)} ${kind}: ${met.message}`)
    await judge(outcome, kind, { met, made })
  })

  async function judge(outcome: Outcome, kind: Kind, { met, made }: { met: Met; made: number }) {
    if (outcome.state === 'works') {
      expect(met).toBe('done')
      return expect(made, 'effects in the ledger').toBe(kind === 'remove' ? 0 : 1)
    }
    // The contract offers it on one network only; what the others would do is not asked.
    if (kind === 'firstComment' && setup.network !== firstCommentNetwork) return
    expect(met).toBeInstanceOf(NetworkError)
    expect((met as NetworkError).fault.kind).toBe('permanent')
    expect(made, 'effects in the ledger').toBe(0)
    if (outcome.state === 'refused') {
      if (kind !== 'audience') expect(normal((met as NetworkError).message)).toContain(outcome.sentence)
      return
    }
    if (outcome.gate.unless === undefined) {
      // The same sentence as at saving, and nothing was sent.
      expect([(met as NetworkError).message, (met as NetworkError).remote]).toEqual([outcome.sentence, {}])
    }
    const refusedThere = await attempt(connected.bold, kind)
    expect(refusedThere, 'the sandbox takes what is gated').toBeInstanceOf(NetworkError)
    expect((refusedThere as NetworkError).remote.status, 'the network itself refuses it').toBeGreaterThanOrEqual(200)
  }

  type Met = 'done' | NetworkError

  async function attempt(by: Connected['bold'], kind: Kind | 'naming'): Promise<Met> {
    try {
      await perform(sandbox, by, world, kind)
      return 'done'
    } catch (error) {
      if (error instanceof NetworkError) return error
      throw error
    }
  }
})

test.each(setups.filter(({ isNotOffered }) => isNotOffered).map((setup) => [named(setup), setup] as const))(
  '%s is not offered, and the sandbox refuses posts there',
  async (_, setup) => {
    await makeProfile(sandbox, setup)
    const { grant, bold } = await connect(sandbox, setup)
    expect(grant).toBeUndefined()
    const world = await makeWorld(sandbox, setup)
    const error = await perform(sandbox, bold, world, 'text').then(
      () => undefined,
      (refused: unknown) => refused,
    )
    expect(error).toBeInstanceOf(NetworkError)
    expect((error as NetworkError).remote.status).toBeGreaterThanOrEqual(400)
  },
)

test('every cell was tried, without a surprise', () => {
  expect([cells, surprises]).toEqual([offered.length * kindNames.length, []])
})

const effects = async (setup: Setup): Promise<number> =>
  (await sandbox.ledger(`network=${setup.network}&profile=${profileIdOf(setup).id}`)).length

/** Files have other names here than in the page. */
const normal = (sentence: string) => sentence.replaceAll(/sample\.\w+/g, (name) => fileNames[name] ?? name)
const fileNames: { readonly [name: string]: string } = {
  'sample.jpeg': 'photo.jpg',
  'sample.mp4': 'clip.mp4',
  'sample.pdf': 'paper.pdf',
}
