import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NetworkError } from '#networks/connector/connector.ts'
import { firstCommentNetwork } from '#networks/content/content-check.ts'
import { type Kind, kindNames, type Outcome, outcomeOf } from './matrix/outcomes.ts'
import { createFixtures, type Fixtures, perform } from './matrix/perform.ts'
import { type Connected, connect, makeProfile, profileIdOf } from './matrix/sandbox-setup.ts'
import { grantedScopes, rulesFor, type Setup, setups } from './matrix/setups.ts'
import { sandboxNetworks } from './sandbox-networks.ts'

/** Each setup signs in at the sandbox and performs each kind of content there: content documented as working is accepted, and gated content is rejected. */

let sandbox: Awaited<ReturnType<typeof sandboxNetworks>>
beforeAll(async () => {
  sandbox = await sandboxNetworks()
  await sandbox.control('/limits', { factor: 10_000 })
})
afterAll(() => sandbox.close())

const named = ({ network, recipe, kind, role }: Setup) => `${network}, ${recipe}, ${kind}: ${role}`
const offered = setups.filter(({ isNotOffered }) => !isNotOffered)
const unexpectedRejections: string[] = []
let cells = 0

describe.each(offered.map((setup) => [named(setup), setup] as const))('%s', (_, setup) => {
  let connected: Connected
  let fixtures: Fixtures
  beforeAll(async () => {
    await makeProfile(sandbox, setup)
    connected = await connect(sandbox, setup)
    fixtures = await createFixtures(sandbox, setup)
  })

  test('the login grants the scopes and capabilities of the recipe and the role', () => {
    const { connector, grant } = connected
    if (!grant) throw new Error('The profile is not offered.')
    expect(grant.secret.scopes.toSorted()).toEqual(grantedScopes(setup).toSorted())
    expect([grant.kind, grant.tier]).toEqual([setup.kind, setup.tier])
    expect(connector.capabilities(grant)).toEqual(rulesFor(setup).capabilities)
  })

  if (setup.network === 'Twitter')
    test('accepts replies to mentions of the account', async () => {
      const actor = connected.grant as NonNullable<Connected['grant']>
      expect(await attempt({ connector: connected.connector, actor }, 'mention')).toBe('done')
    })

  // Deletion comes last: the others act on the post.
  const order = kindNames.toSorted((one, other) => Number(one === 'remove') - Number(other === 'remove'))
  test.each(order)('has the documented outcome for %s', async (kind) => {
    cells += 1
    const outcome = outcomeOf(setup, kind)
    const actor = connected.grant as NonNullable<Connected['grant']>
    const before = await effects(setup)
    const result = await attempt({ connector: connected.connector, actor }, kind)
    const made = (await effects(setup)) - before
    if (result !== 'done' && outcome.state === 'works')
      unexpectedRejections.push(`${named(setup)} ${kind}: ${result.message}`)
    await expectOutcome(outcome, kind, { result, made })
  })

  async function expectOutcome(outcome: Outcome, kind: Kind, { result, made }: { result: Result; made: number }) {
    if (outcome.state === 'works') {
      expect(result).toBe('done')
      return expect(made, 'effects in the ledger').toBe(kind === 'remove' ? 0 : 1)
    }
    // The contract offers it on one network only; the others are not tested.
    if (kind === 'firstComment' && setup.network !== firstCommentNetwork) return
    expect(result).toBeInstanceOf(NetworkError)
    expect((result as NetworkError).fault.kind).toBe('permanent')
    expect(made, 'effects in the ledger').toBe(0)
    if (outcome.state === 'refused') {
      if (kind !== 'audience') expect(normal((result as NetworkError).message)).toContain(outcome.sentence)
      return
    }
    if (outcome.gate.unless === undefined) {
      // The same sentence as at saving, and nothing was sent.
      expect([(result as NetworkError).message, (result as NetworkError).remote]).toEqual([outcome.sentence, {}])
    }
    const rejection = await attempt(connected.unrestricted, kind)
    expect(rejection, 'the sandbox accepts gated content').toBeInstanceOf(NetworkError)
    expect((rejection as NetworkError).remote.status, 'the network itself rejects it').toBeGreaterThanOrEqual(200)
  }

  type Result = 'done' | NetworkError

  async function attempt(by: Connected['unrestricted'], kind: Kind | 'mention'): Promise<Result> {
    try {
      await perform(sandbox, by, fixtures, kind)
      return 'done'
    } catch (error) {
      if (error instanceof NetworkError) return error
      throw error
    }
  }
})

test.each(setups.filter(({ isNotOffered }) => isNotOffered).map((setup) => [named(setup), setup] as const))(
  '%s is not offered, and the sandbox rejects its posts',
  async (_, setup) => {
    await makeProfile(sandbox, setup)
    const { grant, unrestricted } = await connect(sandbox, setup)
    expect(grant).toBeUndefined()
    const fixtures = await createFixtures(sandbox, setup)
    const error = await perform(sandbox, unrestricted, fixtures, 'text').then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(NetworkError)
    expect((error as NetworkError).remote.status).toBeGreaterThanOrEqual(400)
  },
)

test('every cell of the matrix was tested, and none was rejected unexpectedly', () => {
  expect([cells, unexpectedRejections]).toEqual([offered.length * kindNames.length, []])
})

const effects = async (setup: Setup): Promise<number> =>
  (await sandbox.ledger(`network=${setup.network}&profile=${profileIdOf(setup).id}`)).length

/** File names differ between the sandbox and the documented matrix. */
const normal = (sentence: string) => sentence.replaceAll(/sample\.\w+/g, (name) => fileNames[name] ?? name)
const fileNames: { readonly [name: string]: string } = {
  'sample.jpeg': 'photo.jpg',
  'sample.mp4': 'clip.mp4',
  'sample.pdf': 'paper.pdf',
}
