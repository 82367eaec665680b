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

const outOf = (name: string) => join(folder.path, name)
const recordingOf = (name: string) => join(outOf(name), 'recording.json')

/** The profile of each network, and one more kind. */
const profiles = [
  ...manifests.map(({ code, network }) => [code, network, network === 'LinkedIn' ? '2414183' : ''] as const),
  ['linkedin-member', 'LinkedIn', 'aDaM4demo1'] as const,
]

const liveEntries = async (network: Network): Promise<{ kind: string; text?: string; removedAt?: string }[]> =>
  (await sandbox.ledger(`network=${network}`)).filter(({ text = '' }: { text?: string }) =>
    text.startsWith('Chorus live check'),
  )

describe.each(profiles)('%s', (name, network, profile) => {
  test('everything that the profile can do is tried, recorded and deleted again', async () => {
    await somebodyWrites(network, profile)
    const words = [manifestOf(network).code, '--yes', '--port=0', `--out=${outOf(name)}`]
    const { code, said } = await sandbox.live(
      [...words, ...(profile ? [`--profile=${profile}`] : [])],
      sandbox.environmentOf(network),
    )
    expect(said).toContain(' 0 differences from the emulator.')
    expect(said).not.toMatch(/^failed/m)
    expect(code).toBe(0)
    const { results, checks } = JSON.parse((await written(outOf(name))).recording) as Recording
    for (const check of checks.filter((one) => ['text', 'link', 'image', 'images', 'video', 'document'].includes(one)))
      expect(results.find((result) => result.name === `publish ${check}`)?.outcome, check).toBe('done')
    const posts = (await liveEntries(network)).filter(({ kind }) => kind === 'post')
    expect(posts.length).toBeGreaterThan(0)
    const left = posts.filter(({ removedAt }) => !removedAt)
    const byHand = results.filter(({ detail }) => detail.includes('Delete it by hand: '))
    expect(left).toHaveLength(byHand.length)
  })

  test('nothing that was written tells a secret, an id, a name or what others wrote', async () => {
    const { all } = await written(outOf(name))
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

  test('the recording replays without a network, and the sandbox answers the same', async () => {
    const replayed = await sandbox.live(['replay', recordingOf(name)])
    expect(replayed.said).toMatch(/^\d+ steps replayed, 0 problems\.$/)
    const compared = await sandbox.live(['compare', recordingOf(name)])
    expect(compared.said).toMatch(/^\d+ calls compared with the sandbox's, 0 differences\.$/)
    expect([replayed.code, compared.code]).toEqual([0, 0])
  })
})

/** A comment with an address in it, under whatever the profile has posted before. */
async function somebodyWrites(network: Network, profile: string) {
  const posts = await sandbox.ledger(`network=${network}${profile && `&profile=${profile}`}`)
  const post = posts.find(({ kind }: { kind: string }) => kind === 'post')
  if (!post) return
  const from = { ...simulatedUser, name: 'robinette' }
  const about = { network, profile: post.profile, from, push: false, postRemoteId: post.remoteId }
  await sandbox.inject({ ...about, kind: 'comment', text: 'Robin here, write to robin@reader.example about tents' })
}

test('recordings that were kept replay as well', async () => {
  const kept = await readdir(keptRecordings)
  const files = kept.filter((name) => name.endsWith('.json')).map((name) => join(keptRecordings, name))
  for (const path of [...files, recordingOf('x')])
    expect((await sandbox.live(['replay', path])).said, path).toMatch(/^\d+ steps replayed, 0 problems\.$/)
})

const keptRecordings = fileURLToPath(new URL('recordings', import.meta.url))

describe('recorded differences', () => {
  /** A recording that differs from a real one in one place. */
  async function variation(from: string, change: (recording: Recording) => void): Promise<string> {
    const recording: Recording = JSON.parse(await readFile(recordingOf(from), 'utf8'))
    change(recording)
    const path = outOf(`${from}-variation.json`)
    await writeFile(path, JSON.stringify(recording))
    return path
  }
  const exchangeOf = ({ exchanges }: Recording, step: string, method: string) =>
    exchanges.find((exchange) => exchange.step === step && exchange.method === method) as Exchange
  // biome-ignore lint/suspicious/noExplicitAny: answers of networks are changed at will
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
      'a call that the network did not get',
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
  ])('%s is found', async (_, from, change, difference, problem) => {
    const path = await variation(from, change)
    const compared = await sandbox.live(['compare', path])
    expect(compared.said).toMatch(difference)
    expect(compared.code).toBe(1)
    const replayed = await sandbox.live(['replay', path])
    if (problem) expect(replayed.said).toMatch(problem)
    expect(replayed.code).toBe(problem ? 1 : 0)
  })

  test('an error with another name is found', async () => {
    // Instagram renews no token that is not a day old.
    const words = ['instagram', '--yes', '--port=0', '--only=renew', `--out=${outOf('renew')}`]
    const refused = await sandbox.live(words, sandbox.environmentOf('Instagram'))
    expect(refused.said).toMatch(/^failed {3}renew: Instagram: .+/m)
    expect(refused.code).toBe(1)
    for (const command of ['replay', 'compare'])
      expect(await sandbox.live([command, recordingOf('renew')]), command).toMatchObject({ code: 0 })
    const path = await variation('renew', (recording) => {
      answerOf(recording, 'renew', 'GET').json.error.code = 4
    })
    expect((await sandbox.live(['compare', path])).said).toMatch(/renew: .+: error: .*code=4.*; the sandbox: /)
    expect((await sandbox.live(['replay', path])).said).toMatch(/renew: was failed \(.+\), is failed \(throttled\)/)
  })
})

describe('as a person runs it', () => {
  const run = (
    name: string,
    words: string[],
    more: Parameters<typeof sandbox.live>[2] = {},
    network: Network = 'Twitter',
  ) =>
    sandbox.live(
      [manifestOf(network).code, '--port=0', `--out=${outOf(name)}`, ...words],
      sandbox.environmentOf(network),
      more,
    )

  test('a dry run calls nothing, and tells what would be done and what it costs', async () => {
    const before = await sandbox.ledger('network=Twitter')
    const plan = { CHORUS_X_TIER: 'self-serve', CHORUS_X_MONTHLY_SPEND: '20' }
    const words = ['x', '--dry-run', '--only=text,link,reply,like']
    const { code, said } = await sandbox.live(words, sandbox.environmentOf('Twitter', plan))
    expect(said).not.toContain('Open this URL')
    expect(await sandbox.ledger('network=Twitter')).toEqual(before)
    expect(said).toContain('Checks: text, link, like')
    expect(said).toContain('Skipped: reply (X cannot do this)')
    // A post, one with a link, both deleted, and what is read to find them.
    expect(said).toMatch(/Budget cost: about \$0\.2\d of \$20\.00 per month and app/)
    expect(code).toBe(0)
  })

  test('an app that was approved for less is checked for less', async () => {
    await sandbox.control('/app', { network: 'LinkedIn', products: 'share' })
    const words = ['linkedin', '--yes', '--port=0', `--out=${outOf('share')}`]
    const environment = sandbox.environmentOf('LinkedIn', { CHORUS_LINKEDIN_SCOPES: 'share' })
    const { code, said } = await sandbox.live(words, environment)
    await sandbox.control('/app', { network: 'LinkedIn' })
    expect(said).toMatch(/^Checks: text, link, image, images, video, document, stream$/m)
    expect(said).toMatch(/^Skipped: comment \(Comments and likes need .+/m)
    expect(said).toContain(' 0 differences from the emulator.')
    expect(code).toBe(0)
  })

  /** Types when the question is there, as people do. */
  function asked(answer: string) {
    let type: (line: string) => void = () => {}
    const line = new Promise<string>((resolve) => {
      type = resolve
    })
    return { typed: [line], hear: (said: string) => void (said.startsWith('Publish these') && type(answer)) }
  }

  test('nothing is published unless it is confirmed', async () => {
    const before = await liveEntries('Twitter')
    const { code, said } = await run('refused', ['--only=text'], asked('no'))
    expect(said).toContain('Publish these as Northwind Outdoor?')
    expect(said).toContain('Nothing was published.')
    expect(code).toBe(2)
    expect(await liveEntries('Twitter')).toEqual(before)
    expect((await run('confirmed', ['--only=text'], asked('yes'))).said).toMatch(/^done {5}publish text/m)
  })

  test('a login that the network refuses is reported like every other step', async () => {
    const environment = sandbox.environmentOf('YouTube', { CHORUS_YOUTUBE_CLIENT_SECRET: 'not-the-right-one' })
    const { code, said } = await sandbox.live(['youtube', '--port=0', `--out=${outOf('locked')}`], environment)
    expect(said).toMatch(/^failed {3}connect: .*YouTube.+/m)
    expect(code).toBe(1)
    const { report, all } = await written(outOf('locked'))
    expect(report).toMatch(/\| connect \| POST oauth2\.googleapis\.com\/token \|/)
    expect(all).not.toContain('not-the-right-one')
    expect((await sandbox.live(['replay', recordingOf('locked')])).said).toMatch(/ 0 problems/)
  })

  test('without a browser the address is pasted; one of another login is refused', async () => {
    let paste: (line: string) => void = () => {}
    const pasted = new Promise<string>((resolve) => {
      paste = resolve
    })
    const login = async (url: string) => paste(await consented(url))
    const { code, said } = await run('pasted', ['--only=text'], {
      typed: ['http://localhost/?code=a&state=b', pasted, 'yes'],
      login,
    })
    expect(said).toContain('This URL does not belong to this login')
    expect(said).toMatch(/^done {5}delete text/m)
    expect(code).toBe(0)
  })

  test.each(['LIVE_ACCESS_TOKEN', 'LIVE_REFRESH_TOKEN'])('a token in %s takes the place of a login', async (name) => {
    const [kind] = /ACCESS|REFRESH/.exec(name) ?? []
    const token = `sandbox-twitter-1500000000000000501-${kind?.toLowerCase()}`
    const words = ['x', '--yes', '--port=0', '--only=text', `--out=${outOf(name)}`]
    const environment = sandbox.environmentOf('Twitter', { [name]: token })
    expect((await sandbox.live(words, environment)).said).toContain('--profile <id>')
    const { code, said } = await sandbox.live([...words, '--profile=1500000000000000501'], environment)
    expect(said).toMatch(/^done {5}delete text/m)
    expect(code).toBe(0)
    expect((await written(outOf(name))).all).not.toContain('sandbox-twitter')
    expect((await sandbox.live(['replay', recordingOf(name)])).code).toBe(0)
  })

  test('what fails is told in the words of the network, and everything else is done', async () => {
    await sandbox.control('/fault', { network: 'Facebook', operation: 'comment', fault: 'rate-limit', count: 1 })
    const { code, said } = await run('failing', ['--yes', '--only=text,comment,metrics'], {}, 'Facebook')
    expect(said).toMatch(/^failed {3}comment: Facebook: .+/m)
    expect(said).toMatch(/^done {5}metrics/m)
    expect(said).toMatch(/^done {5}delete text/m)
    expect(code).toBe(1)
    const { report } = await written(outOf('failing'))
    expect(report).toMatch(/\| comment \| failed \(throttled\) \|/)
    expect(report).toMatch(/\| comment \| POST graph:.+ \| status \|/)
  })

  test('a network that cannot fetch the files from this machine needs a public address', async () => {
    await sandbox.control('/processing', { network: 'Instagram', failure: 'ERROR' })
    const { said } = await run('unreachable', ['--yes', '--only=image'], {}, 'Instagram')
    await sandbox.control('/processing', { network: 'Instagram' })
    expect(said).toMatch(/^failed {3}publish image: .+ which it cannot reach: give --public-url\.$/m)
  })

  test('who interrupts it gets deleted what was published', async () => {
    let asked = 0
    const { code, said } = await run('stopped', ['--yes'], { stopped: () => ++asked > 2 })
    expect(said).toMatch(/^done {5}publish text/m)
    expect(said).not.toContain('publish link')
    expect(said).toMatch(/^done {5}delete text/m)
    expect(code).toBe(1)
    expect((await sandbox.live(['replay', recordingOf('stopped')])).said).toMatch(/ 0 problems/)
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
  ])('%j is answered with what to do', async (words, sentence) => {
    const { code, said } = await sandbox.live(words)
    expect(said).toMatch(sentence)
    expect(code).toBe(2)
  })

  test('npm run live is this command', async () => {
    const { stdout } = await promisify(execFile)('npx', ['tsx', 'live/live.ts', 'replay', recordingOf('x')])
    expect(stdout).toMatch(/\d+ steps replayed, 0 problems\./)
  })
})
