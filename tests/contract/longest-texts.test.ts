import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ParameterField, parameterFields } from '#kernel/http/request/parameter-fields.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { connectedNetworks } from '#networks/manifests.ts'
import { attackTexts } from '../support/adversarial-texts.ts'
import { deep } from '../support/randomness.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { callerFor, exampleFor, operations, routeOf } from './operations.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ picture: true })
})
afterAll(() => service.stop())

/** Maximum length of a query string. */
const longestQuery = 2_500
/** For parameters without a declared length: above any real limit. */
const undeclared = 20_000
/**
 * Texts from this length on could be slow to process. Shorter fields get only a few texts in turn, and so do updates, which share their
 * parsing with creates.
 */
const long = 5_000
/** Every n-th text that a field gets; the next field or network gets the next ones. */
const turns = { long: deep(3, 1), perNetwork: deep(9, 1), other: deep(80, 20) }

const lengthOf = ({ schema }: ParameterField) => Math.min(Number(schema.maxLength ?? undeclared), 70_000)
/** Arrays and objects may be sent as text as well. */
const isText = ({ where, schema }: ParameterField) => where === 'request' && (schema.type ?? 'string') === 'string'

/** The length of content is determined by the rules of its network, so each network is tested. */
function networksOf(endpoint: Endpoint): { network?: string }[] {
  const field = parameterFields(endpoint).find(({ name, required }) => name === 'network' && required)
  return field ? connectedNetworks.map((network) => ({ network })) : [{}]
}

test.each(
  operations
    .map((endpoint) => ({ endpoint, texts: parameterFields(endpoint).filter(isText) }))
    .filter(({ texts }) => texts.length > 0)
    .flatMap(({ endpoint, texts }) =>
      networksOf(endpoint).map((network) => [routeOf(endpoint), endpoint, texts, network] as const),
    )
    .map((of, turn) => [...of, turn] as const),
)(
  '%s processes adversarial texts of maximum length as fast as plain ones (%#)',
  async (route, endpoint, texts, network, turn) => {
    const [method = '', path = ''] = route.split(' ')
    const { id = '', body: example = {} } = await exampleFor(endpoint, service)
    const as = callerFor(endpoint, service)
    const body = { ...example, ...network }
    const at = `${method} ${path.replace(/\{\w+\}/, id)}`
    for (const [position, field] of texts.entries()) {
      const send = async (text: string) => {
        const startedAt = performance.now()
        const { status } = await as(at, { body: { ...body, [field.name]: text } })
        return { status, spent: performance.now() - startedAt }
      }
      const length = method === 'GET' ? Math.min(lengthOf(field), longestQuery) : lengthOf(field)
      const isLong = Number(field.schema.maxLength ?? 0) >= long && method === 'POST' && !path.includes('{')
      // Operations with a network are repeated for each network, so each repetition gets fewer texts.
      const inTurn = isLong ? turns[network.network ? 'perNetwork' : 'long'] : turns.other
      const attacks = attackTexts(length).filter((_, index) => index % inTurn === (turn + position) % inTurn)
      const harmless = 'word '.repeat(length / 5 + 1).slice(0, length)
      for (const [what, text] of attacks) {
        const sent = method === 'GET' ? withinQuery(text) : text
        const { status, spent } = await send(sent)
        expect(status, `${at} ${field.name}: ${what}`).toBeLessThan(500)
        if (spent < tolerated * least) continue
        // On a busy machine only the shortest of several measurements is meaningful.
        const shortest = await shortestOf(() => send(sent), tolerated * least)
        if (shortest < tolerated * least) continue
        const usual = Math.max(await shortestOf(() => send(harmless)), least)
        expect(shortest / usual, `${at} ${field.name}: ${what}`).toBeLessThan(tolerated)
      }
    }
  },
  300_000,
)

/** Allowed factor over a harmless text of the same length, which counts as a minimum number of milliseconds. */
const tolerated = 25
const least = 20

/** The shortest of several measurements; stops once one is below `enough`. */
async function shortestOf(send: () => Promise<{ spent: number }>, enough = 0): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let time = 0; time < 4 && shortest >= enough; time++) shortest = Math.min(shortest, (await send()).spent)
  return shortest
}

/** The longest prefix that still fits into a query string when percent-encoded. */
function withinQuery(text: string): string {
  let part = text.toWellFormed()
  while (encodeURIComponent(part).length > 3 * longestQuery) part = part.slice(0, part.length / 2).toWellFormed()
  return part
}
