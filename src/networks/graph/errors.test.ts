import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Fault } from '../connector/connector.ts'
import { openFacebook } from '../facebook/facebook.ts'
import { openInstagram } from '../instagram/instagram.ts'
import type { Network } from '../manifests.ts'
import { errorOf, type MetaSandbox, metaSandbox } from './graph.fixture.ts'

let sandbox: MetaSandbox
beforeAll(async () => {
  sandbox = await metaSandbox()
})
afterAll(() => sandbox.close())

type Row = [code: number, subcode: number | undefined, fault: Partial<Fault> & { hours?: number }]
const reconnect = { kind: 'token', remedy: 'reconnect' } as const
const never = (why: string, field?: string) => ({ kind: 'permanent', why, ...(field && { field }) }) as Partial<Fault>
const wait = (scope: 'app' | 'actor' | 'endpoint', hours = 1) => ({ kind: 'throttled', scope, hours }) as const

const rows: Row[] = [
  ...[458, 459, 460, 463, 464, 467, 492].map((subcode): Row => [190, subcode, reconnect]),
  [102, undefined, reconnect],
  ...[3, 10, 200, 299].map((code): Row => [code, undefined, never('permission')]),
  [200, 1, never('permission')],
  ...[1, 2].map((code): Row => [code, undefined, { kind: 'retryable' }]),
  ...[4, 341].map((code): Row => [code, undefined, wait('app')]),
  ...[17, 32, 80000, 80001, 80014].map((code): Row => [code, undefined, wait('actor')]),
  [613, undefined, wait('endpoint')],
  [368, undefined, wait('actor', 24)],
  [506, 1455006, { kind: 'duplicate' }],
  [100, 1366051, { kind: 'duplicate' }],
  [1366051, undefined, { kind: 'duplicate' }],
  [1390008, undefined, wait('actor')],
  ...[1609005, 2061006, 1609008].map((subcode): Row => [100, subcode, never('input', 'link')]),
  [100, 1366046, never('input', 'media')],
  [6000, undefined, never('input', 'media')],
  [352, 1363024, never('input', 'media')],
  ...[1346003, 1404102].map((subcode): Row => [100, subcode, never('policy')]),
  ...[1404078, 1404006, 1404112, 4854002].map((subcode): Row => [100, subcode, reconnect]),
  ...[1363047, 1609010].map((code): Row => [code, undefined, { kind: 'retryable' }]),
  [100, 33, never('gone')],
  [33, undefined, never('input')],
  [100, undefined, never('input')],
  [10, 2018278, never('policy')],
  [987654, undefined, never('input')],
]

const onInstagram: Row[] = [
  ...(
    [
      [9007, 2207027],
      [24, 2207006],
      [24, 2207008],
      [-2, 2207020],
      [-2, 2207003],
      [9004, 2207052],
      [-1, 2207001],
    ] as const
  ).map(([code, subcode]): Row => [code, subcode, { kind: 'retryable' }]),
  ...[2207077, 2207032, 2207053, 2207082].map((subcode): Row => [-1, subcode, { kind: 'retryable' }]),
  [9, 2207042, wait('actor')],
  [4, 2207051, wait('actor', 24)],
  [25, 2207050, never('policy')],
  [36000, 2207004, never('input', 'media')],
  [36001, 2207005, never('input', 'media')],
  [36003, 2207009, never('input', 'media')],
  [36004, 2207010, never('input', 'text')],
  [352, 2207026, never('input', 'media')],
  ...[2207023, 2207028].map((subcode): Row => [100, subcode, never('input', 'media')]),
  [1, 2207057, never('input', 'media')],
  [9007, 2207041, { kind: 'duplicate' }],
  [190, 463, reconnect],
]

const table = [
  ...rows.map((row) => ['Facebook', ...row] as const),
  ...onInstagram.map((row) => ['Instagram', ...row] as const),
]

async function faultResponse(network: Network, error: unknown, more: object = {}) {
  const response = {
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error }),
    ...more,
  }
  await sandbox.control('/fault', { network, operation: 'profile', fault: 'answer', count: 1, answer: response })
  const open = network === 'Facebook' ? openFacebook : openInstagram
  return errorOf(open(sandbox.app(network), sandbox.world).profile(sandboxActor(network)))
}

test.each(table)('%s error %i / %s is mapped to the expected fault', async (network, code, error_subcode, expected) => {
  const { hours, ...wanted } = expected
  const before = sandbox.clock.now().getTime()
  const { fault, message, remote } = await faultResponse(network, {
    code,
    error_subcode,
    message: `(#${code}) No.`,
    fbtrace_id: 'T',
  })
  expect(fault).toMatchObject(wanted)
  expect(message).toBe(`${network}: No.`)
  expect(remote).toEqual({ status: 400, code: String(code), subcode: error_subcode?.toString(), requestId: 'T' })
  if (hours === undefined || fault.kind !== 'throttled') return
  expect(Math.abs(fault.until.getTime() - before - hours * 3_600_000)).toBeLessThan(60_000)
})

test('errors contain the user-facing message, and never the token', async () => {
  const token = sandboxActor('Facebook').secret.accessToken
  const shown = await faultResponse('Facebook', {
    code: 100,
    message: 'Technical',
    error_user_msg: 'Please shorten it.',
  })
  expect(shown.message).toBe('Facebook: Please shorten it.')
  const malformed = await faultResponse('Facebook', { code: 190, message: `Malformed access token ${token}` })
  expect(malformed.message).not.toContain(token)
})

test('temporary and permanent errors are distinguished, also for unknown codes', async () => {
  expect((await faultResponse('Facebook', { code: 987654, is_transient: true, message: 'Later' })).fault.kind).toBe(
    'retryable',
  )
  expect((await faultResponse('Facebook', { code: 987654, message: 'Down' }, { status: 503 })).fault.kind).toBe(
    'retryable',
  )
})

test('a rate limit error includes the time of the next retry', async () => {
  const usage = { '100200300400501': [{ type: 'pages', call_count: 100, estimated_time_to_regain_access: 7 }] }
  const headers = { 'content-type': 'application/json', 'x-business-use-case-usage': JSON.stringify(usage) }
  const { fault } = await faultResponse('Facebook', { code: 32, message: 'Limit' }, { headers })
  const until = fault.kind === 'throttled' ? fault.until.getTime() - sandbox.clock.now().getTime() : 0
  expect(Math.round(until / 60_000)).toBe(7)
  expect(sandbox.usages.at(-1)).toMatchObject({
    scope: 'actor',
    of: '100200300400501',
    used: 1,
    until: expect.any(Date),
  })
})

test('a response that is not JSON is an error, and successful ones report usage', async () => {
  const response = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }
  await sandbox.control('/fault', {
    network: 'Facebook',
    operation: 'profile',
    fault: 'answer',
    count: 1,
    answer: response,
  })
  const connector = openFacebook(sandbox.app('Facebook'), sandbox.world)
  expect((await errorOf(connector.profile(sandboxActor('Facebook')))).fault.kind).toBe('retryable')
  sandbox.usages.length = 0
  await connector.profile(sandboxActor('Facebook'))
  expect(sandbox.usages.map(({ scope, of }) => [scope, of])).toEqual([
    ['app', '900000000000001'],
    ['actor', '100200300400501'],
    ['actor', '100200300400501'],
  ])
})
