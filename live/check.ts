import { randomBytes, randomInt } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { networkApps } from '#main/process/network-apps.ts'
import { readSettings } from '#main/settings/settings.ts'
import type { Actor, Grant } from '#networks/connector/connector.ts'
import { type Connector, profileRules } from '#networks/connector/connector.ts'
import { hostsOf, type ProfileKind, scopesOf } from '#networks/connector/manifest.ts'
import type { NetworkApp } from '#networks/connector/network-app.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { compareExchanges } from './compare.ts'
import { chooseProfile, connectStep, nameOf, type Start } from './connect.ts'
import { type LocalServer, serveLocally } from './local-server.ts'
import { factsOf, type MediaFiles, mediaFrom, readMedia } from './media.ts'
import { type Check, checks, type Plan, planFor } from './plan.ts'
import { type Recorder, recordOutbound } from './recorder.ts'
import type { Recording } from './recording.ts'
import { costLines, type Rehearsal, rehearse } from './rehearsal.ts'
import { writeReport } from './report.ts'
import { openScrubber } from './scrub.ts'
import { ownText, runSteps, type StepResult } from './steps.ts'

/** Terminal, clock and environment of the command; replaced in tests. */
export interface CommandEnvironment {
  environment: NodeJS.ProcessEnv
  print(line: string): void
  /** The next line of standard input; undefined at its end. */
  readLine(): Promise<string | undefined>
  clock: Clock
  wait(milliseconds: number): Promise<void>
  /** Whether the user requested a stop: published content is still deleted first. */
  stopped(): boolean
}

/** Command-line options. */
export interface Options {
  profile?: string | undefined
  kind: ProfileKind
  only?: Check[] | undefined
  dryRun: boolean
  yes: boolean
  port: number
  redirect?: string | undefined
  publicUrl?: string | undefined
  link: string
  out?: string | undefined
}

/** Connects, prints the plan, runs it and writes the report. */
export async function checkNetwork(network: Network, options: Options, host: CommandEnvironment): Promise<number> {
  const { print, environment, clock } = host
  const media = await readMedia()
  const app = appFor(network, environment)
  if (options.dryRun) return dryRun(network, app, options, media, print)
  const settings = readSettings(environment)
  const outbound = openOutbound({ allow: settings.outboundAllow })
  const local = await serveLocally(options.port, media)
  try {
    const recorder = recordOutbound(outbound, clock)
    const installation = { outbound: recorder.outbound, clock }
    const connector = openNetworks({ [network]: app }, installation).connector(network) as Connector
    const run: Run = { network, app, options, media, connector, recorder, host: host, ...urlsOf(options, local) }
    return await runCheck(run, local)
  } finally {
    await local.close()
    await outbound.close()
  }
}

interface Run {
  network: Network
  app: NetworkApp
  options: Options
  media: MediaFiles
  connector: Connector
  recorder: Recorder
  host: CommandEnvironment
  redirectUri: string
  mediaUrl: string
}

const urlsOf = ({ redirect, publicUrl }: Options, { port }: LocalServer) => {
  const mediaUrl = publicUrl ?? `http://localhost:${port}`
  return { mediaUrl, redirectUri: redirect ?? `${mediaUrl}/callback/` }
}

async function runCheck(run: Run, local: LocalServer): Promise<number> {
  const { network, connector, app, options, media, host } = run
  const { print, clock } = host
  const input = openPromptInput(host)
  const startedAt = clock.now()
  const start = await startFrom(run, local, input)
  const { actors, result: connected } = await connectStep(connector, start, clock)
  const mark = Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26))).join('')
  if (connected.outcome === 'failed') {
    printResult(connected, print)
    const why = 'The emulator was not asked, since nothing was connected.'
    const plan = { run: [], left: [] }
    return finish(run, { start, actors, mark, plan, results: [connected], startedAt }, [], new Error(why))
  }
  const actor = chooseProfile(actors, options.profile)
  print(`Connected: ${nameOf(actor)} (${actor.kind} ${actor.remoteId}).`)
  const plan = planFor(network, connector.capabilities(actor), options.only)
  const about = { network, kind: actor.kind, options: app.options, scopes: app.scopes, media, link: options.link }
  const rehearsed = await rehearse({ ...about, checks: plan.run }).catch(
    (error: Error) => new Error(`The emulator could not be asked: ${error.message}`),
  )
  const costs = rehearsed instanceof Error ? [] : costLines(network, rehearsed.usage, app.options)
  printPlan(plan, costs, print)
  if (!options.yes && !(await confirmed(print, input, actor))) {
    print('Nothing was published.')
    return 2
  }
  const results = [connected, ...(await runSteps(stepContext(run, actor, mark), plan.run))]
  return finish(run, { start, actors, actor, mark, plan, results, startedAt }, costs, rehearsed)
}

async function finish(run: Run, outcome: Outcome, costs: string[], rehearsed: Rehearsal | Error): Promise<number> {
  const { network, options, host } = run
  const { plan, results, startedAt } = outcome
  const recording = recordingOf(run, outcome)
  const differences =
    rehearsed instanceof Error ? rehearsed.message : compareExchanges(recording.exchanges, rehearsed.exchanges)
  const folder = options.out ?? `live-report/${manifestOf(network).code}-${stamp(startedAt)}`
  const paths = await writeReport(folder, { recording, left: plan.left, costs, differences })
  const failed = results.filter(({ outcome: one }) => one === 'failed').length
  const found = typeof differences === 'string' ? differences : `${differences.length} differences from the emulator.`
  host.print(`${failed} of ${results.length} steps failed. ${found}`)
  host.print(`Written without secrets: ${paths.join(', ')}`)
  return failed > 0 || host.stopped() ? 1 : 0
}

/** Standard input. An unconsumed line is kept for the next prompt. */
interface PromptInput {
  nextLine(): Promise<string | undefined>
  consume(): void
}

function openPromptInput({ readLine }: CommandEnvironment): PromptInput {
  let next: Promise<string | undefined> | undefined
  return {
    nextLine: () => {
      next ??= readLine()
      return next
    },
    consume: () => {
      next = undefined
    },
  }
}

/** A token from the environment, or a login in a browser. */
async function startFrom(run: Run, local: LocalServer, input: PromptInput): Promise<Start> {
  const { host, options, connector, app, network, redirectUri } = run
  const { LIVE_ACCESS_TOKEN: access, LIVE_REFRESH_TOKEN: refresh } = host.environment
  const token = refresh || access
  if (token) {
    if (!options.profile) throw new Error('With a token, name its profile by its id on the network: --profile <id>.')
    const scopes = [...scopesOf(manifestOf(network), app)]
    const given = { profile: options.profile, profileKind: options.kind, scopes }
    return { kind: refresh ? 'refresh' : 'token', token, ...given }
  }
  const [state, verifier] = [randomBytes(18).toString('base64url'), randomBytes(48).toString('base64url')]
  const url = connector.authorizeUrl({ state, redirectUri, verifier })
  const { print } = host
  print(`Redirect URL to register with the app, exactly as shown: ${new URL(url).searchParams.get('redirect_uri')}`)
  print(`Open this URL and allow access:\n${url}`)
  print('No browser on this machine? Paste the URL you are redirected to.')
  return { kind: 'login', code: await codeFrom(print, input, local, state), verifier, redirectUri }
}

/** The code from the login callback or from a pasted URL, whichever arrives first. */
async function codeFrom(print: Print, input: PromptInput, local: LocalServer, state: string): Promise<string> {
  for (;;) {
    // Without a terminal, only the callback can arrive.
    const pasted = input.nextLine().then((line) => line ?? new Promise<never>(() => {}))
    const callback = await Promise.race([local.callback(), pasted])
    if (typeof callback === 'string') input.consume()
    const url = typeof callback === 'string' ? parseUrl(callback) : callback
    const denial = url?.searchParams.get('error_description') ?? url?.searchParams.get('error')
    if (denial) throw new Error(`The network did not allow access: ${denial}`)
    const code = url?.searchParams.get('code') ?? url?.searchParams.get('auth_code')
    if (code && url?.searchParams.get('state') === state) return code
    print('This URL does not belong to this login: its code or state is missing or wrong. Waiting for another one.')
  }
}

const parseUrl = (line: string): URL | undefined => (URL.canParse(line.trim()) ? new URL(line.trim()) : undefined)

async function confirmed(print: Print, input: PromptInput, actor: Actor): Promise<boolean> {
  print(`Publish these as ${nameOf(actor)}? They are public until they are deleted. Type yes to continue:`)
  return (await input.nextLine())?.trim().toLowerCase() === 'yes'
}

function stepContext({ connector, recorder, media, mediaUrl, options, host }: Run, actor: Actor, mark: string) {
  const { clock, wait, print, stopped } = host
  return {
    connector,
    actor,
    clock,
    wait,
    stopped,
    mark,
    link: options.link,
    media: mediaFrom(media, mediaUrl),
    onStepStart: recorder.startStep,
    onStepEnd: (result: StepResult) => printResult(result, print),
    /** Only the recorded requests show whether a network downloads files itself. */
    advice: (step: string) => {
      const isLocal = /^https?:\/\/(localhost|127\.)/.test(mediaUrl)
      const sent = recorder.exchanges.filter((exchange) => exchange.step === step)
      if (!isLocal || !JSON.stringify(sent).includes(`${mediaUrl}/media/`)) return undefined
      return `The network was to fetch the file from ${mediaUrl}, which it cannot reach: give --public-url.`
    },
  }
}

const printResult = ({ name, outcome, detail, remoteUrl }: StepResult, print: Print) =>
  print(`${outcome.padEnd(8)} ${name}: ${detail}${outcome === 'done' && remoteUrl ? ` ${remoteUrl}` : ''}`)

interface Outcome {
  start: Start
  actors: readonly Actor[]
  /** Undefined if the login failed. */
  actor?: Actor
  mark: string
  plan: Plan
  results: readonly StepResult[]
  startedAt: Date
}

/** The recording of a run, without secrets and personal data. */
function recordingOf(run: Run, outcome: Outcome): Recording {
  const { network, app, options, media, recorder, redirectUri } = run
  const { start, actor, mark, plan, results, startedAt } = outcome
  const scrubber = openScrubber(recorder.exchanges, knownValues(run, outcome), app.hosts)
  const { text } = scrubber
  return {
    format: 'chorus-live-recording-1',
    network,
    startedAt: startedAt.toISOString(),
    apiVersion: app.apiVersion,
    options: optionsOf(network, app).open,
    ...(app.scopes && { scopes: [...app.scopes] }),
    start: start.kind,
    redirectUri: text(redirectUri),
    profile: {
      kind: actor?.kind ?? options.kind,
      remoteId: text(actor?.remoteId ?? options.profile ?? ''),
      username: text(actor?.username ?? ''),
      ...(actor?.tier !== undefined && { tier: actor.tier }),
      scopes: actor?.secret.scopes ?? [],
    },
    mark,
    link: options.link,
    mediaUrl: placeholderUrl,
    media: factsOf(media),
    // Excludes checks skipped because of an interruption.
    checks: plan.run.filter((check) => results.some(({ name }) => name === check || name === `publish ${check}`)),
    results: results.map(({ detail, remoteId, remoteUrl, ...result }) => ({
      ...result,
      detail: text(detail),
      ...(remoteId !== undefined && { remoteId: text(remoteId) }),
      ...(remoteUrl !== undefined && { remoteUrl: text(remoteUrl) }),
    })),
    exchanges: recorder.exchanges.map((raw) => scrubber.exchange(raw, startedAt.getTime())),
  }
}

/** Replaces the URLs of the user's own machine in a recording. */
const placeholderUrl = 'https://live.invalid'

/** Secrets and personal data known before the run, which the recording must not contain. */
function knownValues(
  { network, app, options, redirectUri, mediaUrl }: Run,
  { start, actors, mark }: Outcome,
): Parameters<typeof openScrubber>[1] {
  const real = hostsOf(manifestOf(network), app.options)
  const tokens = actors.flatMap(({ secret }, index) => [
    [`token ${index + 1}`, secret.accessToken],
    [`refresh ${index + 1}`, secret.refreshToken],
  ])
  return {
    secrets: {
      'client-id': app.clientId,
      'client-secret': app.clientSecret,
      ...optionsOf(network, app).keys,
      ...(start.kind === 'login' ? { code: start.code, verifier: start.verifier } : { 'given-token': start.token }),
      ...Object.fromEntries(tokens),
    },
    names: actors.flatMap((actor) => [actor.username, nameOf(actor)]),
    ids: [
      ...actors.flatMap((actor) => [actor.remoteId, (actor as Grant).parentRemoteId ?? '']),
      options.profile ?? '',
    ].filter(Boolean),
    ownTexts: [...checks.map((check) => ownText(mark, check)), `Chorus live check ${mark}`, options.link],
    bases: [
      ...Object.entries(app.hosts).map(([role, host]) => [host, real[role] ?? host] as const),
      ...[mediaUrl, new URL(redirectUri).origin].map((url) => [url, placeholderUrl] as const),
    ].sort(([one], [other]) => other.length - one.length),
  }
}

/** Options with enumerated or numeric values describe the app's access; all others are keys. */
function optionsOf(network: Network, { options }: NetworkApp) {
  const given = Object.entries(options).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const isPublic = ([option]: [string, string]) => {
    const { values, number } = manifestOf(network).settings?.[option] ?? {}
    return values !== undefined || number !== undefined || option === 'scopes'
  }
  return {
    open: Object.fromEntries(given.filter(isPublic)),
    keys: Object.fromEntries(given.filter((entry) => !isPublic(entry))),
  }
}

async function dryRun(network: Network, app: NetworkApp, options: Options, media: MediaFiles, print: Print) {
  const manifest = manifestOf(network)
  const { kind, only, link } = options
  const facts = { kind, secret: { scopes: [...scopesOf(manifest, app)] } }
  const plan = planFor(network, profileRules(manifest, app, facts).capabilities, only)
  const about = { network, kind, options: app.options, scopes: app.scopes, media, link }
  const rehearsed = await rehearse({ ...about, checks: plan.run }).catch((error: Error) => error)
  print(`Dry run: no call is made. For a profile of kind ${kind} the check would do this:`)
  const isKnown = !(rehearsed instanceof Error)
  printPlan(plan, isKnown ? costLines(network, rehearsed.usage, app.options) : [], print)
  if (!isKnown) print(`The cost could not be estimated because the sandbox failed: ${rehearsed.message}`)
  return 0
}

function printPlan({ run, left }: Plan, costs: readonly string[], print: Print) {
  print(`Checks: ${run.join(', ') || 'none'}`)
  for (const { check, why } of left) print(`Skipped: ${check} (${why})`)
  for (const line of costs) print(`Budget ${line}`)
}

function appFor(network: Network, environment: NodeJS.ProcessEnv): NetworkApp {
  const app = networkApps({ ...readSettings(environment), demo: false })[network]
  if (app) return app
  const prefix = `CHORUS_${manifestOf(network).code.toUpperCase()}`
  throw new Error(`Set ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET to those of your app (docs/networks.md).`)
}

type Print = CommandEnvironment['print']

const stamp = (date: Date) => date.toISOString().slice(0, 19).replaceAll(':', '-')
