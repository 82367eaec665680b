import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manifestOf, manifests, type Network } from '#networks/manifests.ts'
import type { Exchange, Recording } from '../../live/recording.ts'
import { simulatedUser } from '../../sandbox/sandbox.fixture.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { consented, liveSandbox, written } from './live.fixture.ts'

let sandbox: Awaited<ReturnType<typeof liveSandbox>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  sandbox = await liveSandbox()
})
afterAll(async () => {
  await sandbox.close()
  await folder.remove()
})

const outputOf = (name: string) => join(folder.path, name)
const recordingOf = (name: string) => join(outputOf(name), 'recording.json')

/** One profile of each network, and a LinkedIn member. */
const profiles = [
  ...manifests.map(({ code, network }) => [code, network, network === 'LinkedIn' ? '2414183' : ''] as const),
  ['linkedin-member', 'LinkedIn', 'aDaM4demo1'] as const,
]

const liveEntries = async (network: Network): Promise<{ kind: string; text?: string; removedAt?: string }[]> =>
  (await sandbox.ledger(`network=${network}`)).filter(({ text = '' }: { text?: string }) =>
    text.startsWith('Chorus live check'),
  )

describe.each(profiles)('%s', (name, network, profile) => {
  test('every capability of the profile is tested and recorded, and the content is deleted', async () => {
    await addComment(network, profile)
    const args = [manifestOf(network).code, '--yes', '--port=0', `--out=${outputOf(name)}`]
    const { code, output } = await sandbox.live(
      [...args, ...(profile ? [`--profile=${profile}`] : [])],
      sandbox.environmentOf(network),
    )
    expect(output).toContain(' 0 differences from the emulator.')
    expect(output).not.toMatch(/^failed/m)
    expect(code).toBe(0)
    const { results, checks } = JSON.parse((await written(outputOf(name))).recording) as Recording
    for (const check of checks.filter((one) => ['text', 'link', 'image', 'images', 'video', 'document'].includes(one)))
      expect(results.find((result) => result.name === `publish ${check}`)?.outcome, check).toBe('done')
    const posts = (await liveEntries(network)).filter(({ kind }) => kind === 'post')
    expect(posts.length).toBeGreaterThan(0)
    const left = posts.filter(({ removedAt }) => !removedAt)
    const byHand = results.filter(({ detail }) => detail.includes('Delete it by hand: '))
    expect(left).toHaveLength(byHand.length)
  })

  test('the written files contain no secrets, ids, names or texts of others', async () => {
    const { all } = await written(outputOf(name))
    const { sandbox: app, code } = manifestOf(network)
    const secrets = [app.clientId, `sandbox-${code}-secret`, '-access', '-refresh', '-code-']
    const ids = ['100200300400', '17841400000000501', 'aDaM4demo1', '2414183', '1500000000000000501', 'NorthwindOut501']
    const people = ['Northwind', 'Ada Marsh', 'Maya', 'Herrera', 'Aiko', 'Achterberg', 'Robin', '@sandbox.example']
    const texts = ['tents', 'repair van', 'rucksack', '@reader.example']
    const found = [...secrets, ...ids, '7100000000000000501', simulatedUser.id, ...people, ...texts].filter((one) =>
      all.toLowerCase().includes(one.toLowerCase()),
    )
    expect(found).toEqual([])
  })

  test('the recording replays without a network, and equals the responses of the sandbox', async () => {
    const replayed = await sandbox.live(['replay', recordingOf(name)])
    expect(replayed.output).toMatch(/^\d+ steps replayed, 0 problems\.$/)
    const compared = await sandbox.live(['compare', recordingOf(name)])
    expect(compared.output).toMatch(/^\d+ calls compared with the sandbox's, 0 differences\.$/)
    expect([replayed.code, compared.code]).toEqual([0, 0])
  })
})

/** Adds a comment with an email address to an existing post of the profile. */
async function addComment(network: Network, profile: string) {
  const posts = await sandbox.ledger(`network=${network}${profile && `&profile=${profile}`}`)
  const post = posts.find(({ kind }: { kind: string }) => kind === 'post')
  if (!post) return
  const from = { ...simulatedUser, name: 'robinette' }
  const about = { network, profile: post.profile, from, push: false, postRemoteId: post.remoteId }
  await sandbox.inject({ ...about, kind: 'comment', text: 'Robin here, write to robin@reader.example about tents' })
}

test('committed recordings replay without problems', async () => {
  const names = await readdir(committedRecordings)
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(committedRecordings, name))
  for (const path of [...files, recordingOf('x')])
    expect((await sandbox.live(['replay', path])).output, path).toMatch(/^\d+ steps replayed, 0 problems\.$/)
})

const committedRecordings = fileURLToPath(new URL('recordings', import.meta.url))

describe('recorded differences', () => {
  /** A recording that differs from a real one in one place. */
  async function variation(from: string, change: (recording: Recording) => void): Promise<string> {
    const recording: Recording = JSON.parse(await readFile(recordingOf(from), 'utf8'))
    change(recording)
    const path = outputOf(`${from}-variation.json`)
    await writeFile(path, JSON.stringify(recording))
    return path
  }
  const exchangeOf = ({ exchanges }: Recording, step: string, method: string) =>
    exchanges.find((exchange) => exchange.step === step && exchange.method === method) as Exchange
  // biome-ignore lint/suspicious/noExplicitAny: responses of networks are modified freely
  const answerOf = (recording: Recording, step: string, method: string): any =>
    exchangeOf(recording, step, method).answer

  test.each<[string, string, (recording: Recording) => void, RegExp, RegExp | undefined]>([
    [
      'a field that the sandbox does not have',
      'x',
      (recording) => {
        answerOf(recording, 'publish text', 'POST').json.data.community_id = '1'
      },
      /publish text: POST api:\/2\/tweets: field only in the recording: data\.community_id: string/,
      undefined,
    ],
    [
      'an id that is missing',
      'x',
      (recording) => {
        delete answerOf(recording, 'publish text', 'POST').json.data.id
      },
      /publish text: POST api:\/2\/tweets: field only in the sandbox: data\.id: string/,
      /publish text: was done, is failed \(unknownOutcome\)/,
    ],
    [
      'a field of another type',
      'youtube',
      (recording) => {
        answerOf(recording, 'publish video', 'PUT').json.id = { videoId: 'abc' }
      },
      /type of field: id: object; the sandbox: string/,
      /publish video: (was done|read the id)/,
    ],
    [
      'another status',
      'linkedin',
      (recording) => {
        answerOf(recording, 'comments', 'GET').status = 403
      },
      /comments: GET .+: status: 200, 403; the sandbox: 200|comments: GET .+: status: 403; the sandbox: 200/,
      /comments: was done, is failed \(permanent permission\)/,
    ],
    [
      'a field with another name',
      'tiktok',
      (recording) => {
        const { data } = answerOf(recording, 'comment', 'POST').json
        data.id = data.comment_id
        delete data.comment_id
      },
      /field only in the recording: data\.id: string(.|\n)*field only in the sandbox: data\.comment_id: string/,
      /comment: was done, is failed \(unknownOutcome\)/,
    ],
    [
      'a call that is not in the recording',
      'facebook',
      (recording) => {
        recording.exchanges = recording.exchanges.filter(({ step }) => step !== 'like')
      },
      /like: POST graph:.+: call only in the sandbox/,
      /like: the recording has no answer for POST graph:/,
    ],
    [
      'another order of calls',
      'facebook',
      ({ exchanges }) => {
        const at = exchanges.findIndex(({ step }) => step === 'publish image')
        exchanges.splice(at, 2, exchanges[at + 1] as Exchange, exchanges[at] as Exchange)
      },
      /publish image: .+: order of calls: the sandbox has POST graph:.+\/photos, then POST graph:.+\/feed/,
      undefined,
    ],
    [
      'a call with another parameter',
      'facebook',
      (recording) => {
        const { sent } = exchangeOf(recording, 'publish text', 'POST')
        if (sent.form === 'fields') sent.value.published = 'true'
      },
      /publish text: .+: parameter: published, only in the recording/,
      /publish text: the recording has no answer for .+ with other parameters: published/,
    ],
  ])('include %s', async (_, from, change, difference, problem) => {
    const path = await variation(from, change)
    const compared = await sandbox.live(['compare', path])
    expect(compared.output).toMatch(difference)
    expect(compared.code).toBe(1)
    const replayed = await sandbox.live(['replay', path])
    if (problem) expect(replayed.output).toMatch(problem)
    expect(replayed.code).toBe(problem ? 1 : 0)
  })

  test('include an error with another code', async () => {
    // Instagram renews only tokens that are at least a day old.
    const args = ['instagram', '--yes', '--port=0', '--only=renew', `--out=${outputOf('renew')}`]
    const rejected = await sandbox.live(args, sandbox.environmentOf('Instagram'))
    expect(rejected.output).toMatch(/^failed {3}renew: Instagram: .+/m)
    expect(rejected.code).toBe(1)
    for (const command of ['replay', 'compare'])
      expect(await sandbox.live([command, recordingOf('renew')]), command).toMatchObject({ code: 0 })
    const path = await variation('renew', (recording) => {
      answerOf(recording, 'renew', 'GET').json.error.code = 4
    })
    expect((await sandbox.live(['compare', path])).output).toMatch(/renew: .+: error: .*code=4.*; the sandbox: /)
    expect((await sandbox.live(['replay', path])).output).toMatch(/renew: was failed \(.+\), is failed \(throttled\)/)
  })
})

describe('the command', () => {
  const run = (
    name: string,
    args: string[],
    more: Parameters<typeof sandbox.live>[2] = {},
    network: Network = 'Twitter',
  ) =>
    sandbox.live(
      [manifestOf(network).code, '--port=0', `--out=${outputOf(name)}`, ...args],
      sandbox.environmentOf(network),
      more,
    )

  test('makes no calls in a dry run, and prints the checks and their cost', async () => {
    const before = await sandbox.ledger('network=Twitter')
    const plan = { CHORUS_X_TIER: 'self-serve', CHORUS_X_MONTHLY_SPEND: '20' }
    const args = ['x', '--dry-run', '--only=text,link,reply,like']
    const { code, output } = await sandbox.live(args, sandbox.environmentOf('Twitter', plan))
    expect(output).not.toContain('Open this URL')
    expect(await sandbox.ledger('network=Twitter')).toEqual(before)
    expect(output).toContain('Checks: text, link, like')
    expect(output).toContain('Skipped: reply (X cannot do this)')
    // A post, a post with a link, both deletions, and the reads that find them.
    expect(output).toMatch(/Budget cost: about \$0\.2\d of \$20\.00 per month and app/)
    expect(code).toBe(0)
  })

  test('tests only the checks that the app is approved for', async () => {
    await sandbox.control('/app', { network: 'LinkedIn', products: 'share' })
    const args = ['linkedin', '--yes', '--port=0', `--out=${outputOf('share')}`]
    const environment = sandbox.environmentOf('LinkedIn', { CHORUS_LINKEDIN_SCOPES: 'share' })
    const { code, output } = await sandbox.live(args, environment)
    await sandbox.control('/app', { network: 'LinkedIn' })
    expect(output).toMatch(/^Checks: text, link, image, images, video, document, stream$/m)
    expect(output).toMatch(/^Skipped: comment \(Comments and likes need .+/m)
    expect(output).toContain(' 0 differences from the emulator.')
    expect(code).toBe(0)
  })

  /** Types the answer once the question is printed. */
  function answering(answer: string) {
    let type: (line: string) => void = () => {}
    const line = new Promise<string>((resolve) => {
      type = resolve
    })
    return { typed: [line], onLine: (output: string) => void (output.startsWith('Publish these') && type(answer)) }
  }

  test('publishes nothing without confirmation', async () => {
    const before = await liveEntries('Twitter')
    const { code, output } = await run('refused', ['--only=text'], answering('no'))
    expect(output).toContain('Publish these as Northwind Outdoor?')
    expect(output).toContain('Nothing was published.')
    expect(code).toBe(2)
    expect(await liveEntries('Twitter')).toEqual(before)
    expect((await run('confirmed', ['--only=text'], answering('yes'))).output).toMatch(/^done {5}publish text/m)
  })

  test('reports a login that the network rejects as a failed step', async () => {
    const environment = sandbox.environmentOf('YouTube', { CHORUS_YOUTUBE_CLIENT_SECRET: 'not-the-right-one' })
    const { code, output } = await sandbox.live(['youtube', '--port=0', `--out=${outputOf('locked')}`], environment)
    expect(output).toMatch(/^failed {3}connect: .*YouTube.+/m)
    expect(code).toBe(1)
    const { report, all } = await written(outputOf('locked'))
    expect(report).toMatch(/\| connect \| POST oauth2\.googleapis\.com\/token \|/)
    expect(all).not.toContain('not-the-right-one')
    expect((await sandbox.live(['replay', recordingOf('locked')])).output).toMatch(/ 0 problems/)
  })

  test('accepts a pasted redirect URL, and rejects one of another login', async () => {
    let paste: (line: string) => void = () => {}
    const pasted = new Promise<string>((resolve) => {
      paste = resolve
    })
    const login = async (url: string) => paste(await consented(url))
    const { code, output } = await run('pasted', ['--only=text'], {
      typed: ['http://localhost/?code=a&state=b', pasted, 'yes'],
      login,
    })
    expect(output).toContain('This URL does not belong to this login')
    expect(output).toMatch(/^done {5}delete text/m)
    expect(code).toBe(0)
  })

  test.each(['LIVE_ACCESS_TOKEN', 'LIVE_REFRESH_TOKEN'])('uses a token in %s instead of a login', async (name) => {
    const [kind] = /ACCESS|REFRESH/.exec(name) ?? []
    const token = `sandbox-twitter-1500000000000000501-${kind?.toLowerCase()}`
    const args = ['x', '--yes', '--port=0', '--only=text', `--out=${outputOf(name)}`]
    const environment = sandbox.environmentOf('Twitter', { [name]: token })
    expect((await sandbox.live(args, environment)).output).toContain('--profile <id>')
    const { code, output } = await sandbox.live([...args, '--profile=1500000000000000501'], environment)
    expect(output).toMatch(/^done {5}delete text/m)
    expect(code).toBe(0)
    expect((await written(outputOf(name))).all).not.toContain('sandbox-twitter')
    expect((await sandbox.live(['replay', recordingOf(name)])).code).toBe(0)
  })

  test('prints the error of the network for a failed step, and continues with the others', async () => {
    await sandbox.control('/fault', { network: 'Facebook', operation: 'comment', fault: 'rate-limit', count: 1 })
    const { code, output } = await run('failing', ['--yes', '--only=text,comment,metrics'], {}, 'Facebook')
    expect(output).toMatch(/^failed {3}comment: Facebook: .+/m)
    expect(output).toMatch(/^done {5}metrics/m)
    expect(output).toMatch(/^done {5}delete text/m)
    expect(code).toBe(1)
    const { report } = await written(outputOf('failing'))
    expect(report).toMatch(/\| comment \| failed \(throttled\) \|/)
    expect(report).toMatch(/\| comment \| POST graph:.+ \| status \|/)
  })

  test('asks for --public-url if the network cannot fetch files from this machine', async () => {
    await sandbox.control('/processing', { network: 'Instagram', failure: 'ERROR' })
    const { output } = await run('unreachable', ['--yes', '--only=image'], {}, 'Instagram')
    await sandbox.control('/processing', { network: 'Instagram' })
    expect(output).toMatch(/^failed {3}publish image: .+ which it cannot reach: give --public-url\.$/m)
  })

  test('deletes the published content when interrupted', async () => {
    let checks = 0
    const { code, output } = await run('stopped', ['--yes'], { stopped: () => ++checks > 2 })
    expect(output).toMatch(/^done {5}publish text/m)
    expect(output).not.toContain('publish link')
    expect(output).toMatch(/^done {5}delete text/m)
    expect(code).toBe(1)
    expect((await sandbox.live(['replay', recordingOf('stopped')])).output).toMatch(/ 0 problems/)
  })

  test.each([
    [[], /npm run live -- <network>/],
    [['myspace'], /There is no network "myspace". Use facebook, /],
    [['x'], /Set CHORUS_X_CLIENT_ID and CHORUS_X_CLIENT_SECRET/],
    [['x', '--only=text,songs'], /--only names "songs"; use any of text, link/],
    [['x', '--kind=page'], /--kind must be account on X/],
    [['x', '--port=many'], /--port must be a number/],
    [['x', '--public-url=here'], /--public-url must be a URL/],
    [['x', '--loud'], /Unknown option '--loud'/],
    [['replay'], /Name the recording/],
    [['replay', 'nowhere.json'], /nowhere.json cannot be read/],
    [['compare', 'README.md'], /README.md is not JSON/],
    [['replay', 'package.json'], /package.json is not a recording of a live check: format/],
  ])('responds to the arguments %j with instructions', async (args, sentence) => {
    const { code, output } = await sandbox.live(args)
    expect(output).toMatch(sentence)
    expect(code).toBe(2)
  })

  test('runs with npm run live', async () => {
    const { stdout } = await promisify(execFile)('npx', ['tsx', 'live/live.ts', 'replay', recordingOf('x')])
    expect(stdout).toMatch(/\d+ steps replayed, 0 problems\./)
  })
})
