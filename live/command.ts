import { parseArgs } from 'node:util'
import { manifestOf, manifests, type Network } from '#networks/manifests.ts'
import { type CommandEnvironment, checkNetwork, type Options } from './check.ts'
import { compareExchanges } from './compare.ts'
import { readMedia } from './media.ts'
import { checks, readChecks } from './plan.ts'
import { readRecording } from './recording.ts'
import { rehearse } from './rehearsal.ts'
import { replay } from './replay.ts'

const usage = `npm run live -- <network> [options]     check a network with your own app
npm run live -- replay <recording>      run the connector against recorded answers
npm run live -- compare <recording>     compare recorded answers with the sandbox's

Networks: ${manifests.map(({ code }) => code).join(', ')}
  --profile <id>      the profile, if the login opens several
  --kind <kind>       its kind, where a token is given: ${[...new Set(manifests.flatMap(({ profileKinds }) => profileKinds))].join(', ')}
  --only <checks>     some of ${checks.join(', ')}
  --dry-run           tell what would be done and what it costs; nothing is called
  --yes               publish without asking
  --port <port>       where the login comes back to on this machine (8765)
  --redirect <url>    redirect address, as registered with the network (http://localhost:<port>/callback/)
  --public-url <url>  where the port is reached from outside, for networks that fetch files
  --link <url>        what the post with a link leads to (https://example.com/)
  --out <folder>      where the report goes (live-report/<network>-<date>)`

const flags = {
  profile: { type: 'string' },
  kind: { type: 'string' },
  only: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  port: { type: 'string', default: '8765' },
  redirect: { type: 'string' },
  'public-url': { type: 'string' },
  link: { type: 'string', default: 'https://example.com/' },
  out: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** Runs the command. Exit codes: 0 without findings, 1 with findings, 2 if it could not run. */
export async function runLive(args: readonly string[], host: CommandEnvironment): Promise<number> {
  const { print } = host
  try {
    const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options: flags })
    const [first, second] = positionals
    if (values.help || first === undefined) {
      print(usage)
      return values.help ? 0 : 2
    }
    if (first === 'replay') return await replayFile(second, print)
    if (first === 'compare') return await compareFile(second, print)
    const network = networkNamed(first)
    if (!network)
      throw new Error(`There is no network "${first}". Use ${manifests.map(({ code }) => code).join(', ')}.`)
    return await checkNetwork(network, readOptions(values, network), host)
  } catch (error) {
    print((error as Error).message)
    return 2
  }
}

const networkNamed = (text: string): Network | undefined =>
  manifests.find(({ network }) => {
    const { code, name, spellings = [] } = manifestOf(network)
    return [network, code, name, ...spellings].some((one) => one.toLowerCase() === text.toLowerCase())
  })?.network

type Values = { [name in keyof typeof flags]?: string | boolean | undefined }

function readOptions(values: Values, network: Network): Options {
  const text = (name: keyof typeof flags) => values[name] as string | undefined
  const { name, profileKinds } = manifestOf(network)
  const kind = profileKinds.find((one) => one === (text('kind') ?? profileKinds[0]))
  if (!kind) throw new Error(`--kind must be ${profileKinds.join(' or ')} on ${name}.`)
  const port = Number(text('port'))
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a number from 0 to 65535.')
  for (const flag of ['redirect', 'public-url', 'link'] as const) {
    const given = text(flag)
    if (given !== undefined && !/^https?:\/\/[^\s/]+/.test(given))
      throw new Error(`--${flag} must be a URL that begins with http:// or https://.`)
  }
  const only = text('only')
  return {
    kind,
    port,
    profile: text('profile'),
    only: only === undefined ? undefined : readChecks(only),
    dryRun: values['dry-run'] === true,
    yes: values.yes === true,
    redirect: text('redirect'),
    publicUrl: text('public-url')?.replace(/\/$/, ''),
    link: text('link') ?? '',
    out: text('out'),
  }
}

async function replayFile(path: string | undefined, print: CommandEnvironment['print']): Promise<number> {
  if (!path) throw new Error('Name the recording: npm run live -- replay <recording.json>')
  const { results, problems } = await replay(await readRecording(path))
  for (const problem of problems) print(problem)
  print(`${results.length} steps replayed, ${problems.length} problems.`)
  return problems.length > 0 ? 1 : 0
}

async function compareFile(path: string | undefined, print: CommandEnvironment['print']): Promise<number> {
  if (!path) throw new Error('Name the recording: npm run live -- compare <recording.json>')
  const recording = await readRecording(path)
  const { network, profile, options, scopes, checks: done, link, exchanges } = recording
  const about = { network, kind: profile.kind, options, scopes, checks: done, link, media: await readMedia() }
  const differences = compareExchanges(exchanges, (await rehearse(about)).exchanges)
  for (const { step, call, what, detail } of differences) print(`${step}: ${call}: ${what}: ${detail}`)
  print(`${exchanges.length} calls compared with the sandbox's, ${differences.length} differences.`)
  return differences.length > 0 ? 1 : 0
}
