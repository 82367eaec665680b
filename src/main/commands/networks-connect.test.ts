import { afterAll, beforeAll, expect, test } from 'vitest'
import { testSandbox } from '../../../sandbox/sandbox.fixture.ts'
import { commandLine } from '../../../tests/support/command-line.ts'

const line = commandLine()
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let account = ''
beforeAll(async () => {
  sandbox = await testSandbox()
  const output = await line.chorus(
    'account create --name Example --email ada@example.com --first-name Ada --last-name Marsh',
  )
  account = /001\w{12}/.exec(output)?.[0] ?? ''
})
afterAll(() => sandbox.close())

const chorus = (args: string) =>
  line.chorus(`credential ${args} --account ${account}`, { CHORUS_SANDBOX_PORT: new URL(sandbox.url).port })

test('profiles of the sandbox can be connected from the command line on every network', async () => {
  expect(await chorus('list')).toContain('There are no social profiles.')
  for (const network of ['Facebook', 'Instagram', 'Twitter', 'YouTube', 'TikTok'])
    expect(await chorus(`connect --network ${network}`)).toMatch(/^Connected /m)
  expect(await chorus('connect --network linkedin --profile 2414184')).toContain('(2414184)')
  const list = await chorus('list')
  for (const network of ['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok'])
    expect(list).toMatch(new RegExp(`^003-\\d+-\\S+ +valid +${network}`, 'm'))
  expect(list).not.toContain('2414183')
})

test('errors name the profile or network that can’t be connected', async () => {
  await expect(chorus('connect --network LinkedIn --profile 999')).rejects.toThrow('it opens ')
  await expect(chorus('connect --network Linkdin')).rejects.toThrow('did you mean LinkedIn?')
  const unknownNetwork = line.chorus(`credential connect --network X --account ${account}`, {
    CHORUS_SANDBOX_PORT: '1',
  })
  await expect(unknownNetwork).rejects.toThrow()
})
