import { openOutbound } from '#kernel/outbound/outbound.ts'
import { sandboxApps, sandboxHosts } from '#main/process/network-apps.ts'
import { sandboxLogin } from '#main/process/sandbox-process.ts'
import type { Uses } from '#networks/connector/budget.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { hostsOf, type ProfileKind } from '#networks/connector/manifest.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { rateLimitsOf } from '#networks/rate-limits.ts'
import { startSandbox } from '../sandbox/main.ts'
import { serveLocally } from './local-server.ts'
import { type MediaFiles, mediaFrom } from './media.ts'
import type { Check } from './plan.ts'
import { recordOutbound } from './recorder.ts'
import type { Exchange } from './recording.ts'
import { openScrubber } from './scrub.ts'
import { ownText, runSteps, type StepResult } from './steps.ts'

export interface Rehearsal {
  results: StepResult[]
  exchanges: Exchange[]
  /** Units used of each budget. */
  usage: { [budget: string]: number }
}

interface RehearsalOptions {
  network: Network
  kind: ProfileKind
  options: { readonly [option: string]: string | undefined }
  scopes?: readonly string[] | undefined
  checks: readonly Check[]
  media: MediaFiles
  link: string
}

/** Runs the same steps against a separate sandbox with a simulated clock, to estimate their cost and record the sandbox's responses. */
export async function rehearse(rehearsal: RehearsalOptions): Promise<Rehearsal> {
  const { network, kind, options, scopes, checks, media, link } = rehearsal
  let elapsed = 0
  const clock = { now: () => new Date(Date.now() + elapsed) }
  const wait = async (milliseconds: number) => {
    elapsed += milliseconds
  }
  const sandbox = await startSandbox({ clock, limitFactor: 1000, history: true })
  const local = await serveLocally(0, media)
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  try {
    const recorder = recordOutbound(outbound, clock)
    const usage: { [budget: string]: number } = {}
    const spent = (_: string, used: Uses) => {
      for (const [budget, amount] of Object.entries(used)) usage[budget] = (usage[budget] ?? 0) + amount
    }
    const installation = { outbound: recorder.outbound, clock, meter: { admit: () => undefined, spent } }
    const hosts = sandboxHosts(hostsOf(manifestOf(network), options), sandbox.url)
    const app = { ...sandboxApps(sandbox.url)[network], hosts, options, scopes }
    const connector = openNetworks({ [network]: app }, installation).connector(network) as Connector
    const startedAt = clock.now().getTime()
    const control = controlOf(sandbox.url)
    await approve(control, network, scopes)
    const actors = await sandboxLogin(connector, outbound)
    const actor = actors.find((one) => one.kind === kind)
    if (!actor) throw new Error(`The sandbox has no profile of the kind ${kind}.`)
    await addVisitorComment(control, network, actor.remoteId)
    const mark = 'rehearsal'
    const results = await runSteps(
      {
        connector,
        actor,
        clock,
        wait,
        mark,
        link,
        onStepStart: recorder.startStep,
        media: mediaFrom(media, `http://127.0.0.1:${local.port}`),
        onStepEnd: () => undefined,
      },
      checks,
    )
    const knownValues = {
      secrets: {},
      names: [],
      ids: [],
      bases: [],
      ownTexts: checks.map((check) => ownText(mark, check)),
    }
    const scrubber = openScrubber(recorder.exchanges, knownValues, hosts)
    return { results, usage, exchanges: recorder.exchanges.map((raw) => scrubber.exchange(raw, startedAt)) }
  } finally {
    await outbound.close()
    await local.close()
    await sandbox.close()
  }
}

type Control = (path: string, body?: object) => Promise<unknown>

/** Client of the sandbox's control plane. */
const controlOf =
  (url: string): Control =>
  async (path, body) => {
    const headers = { authorization: 'Bearer sandbox', 'content-type': 'application/json' }
    const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${url}/__sandbox${path}`, sent)).json()
  }

/** Grants the sandbox app the products of the matching scope preset: networks reject scopes that an app is not approved for. */
async function approve(control: Control, network: Network, scopes: readonly string[] = []): Promise<void> {
  const presets = Object.entries(manifestOf(network).login.scopePresets ?? {})
  const preset = presets.find(([, { scopes: presetScopes }]) => presetScopes.join() === scopes.join())
  if (preset) await control('/app', { network, products: preset[0] })
}

/** Adds a comment by another user to an earlier post, so that lists are not empty. */
async function addVisitorComment(control: Control, network: Network, profile: string): Promise<void> {
  const { entries } = (await control(`/ledger?network=${network}&profile=${profile}`)) as {
    entries: { kind: string; remoteId: string }[]
  }
  const post = entries.find(({ kind }) => kind === 'post')
  if (!post) return
  const from = { id: '7000000000000201', name: 'Vera Visitor', username: 'veravisits' }
  const comment = { network, profile, from, kind: 'comment', postRemoteId: post.remoteId, push: false }
  await control('/inject', { ...comment, text: 'Is this still open?' })
}

/** The estimated usage of each of the network's budgets, one line per budget. */
export function costLines(network: Network, usage: Rehearsal['usage'], options: RehearsalOptions['options']): string[] {
  return rateLimitsOf(network).budgets.flatMap(({ name, unit, window, limit, option, per }) => {
    const used = usage[name] ?? 0
    if (used === 0) return []
    const isMoney = unit === 'micro-dollars'
    const set = option === undefined ? undefined : options[option]
    const maximum = set === undefined ? limit : Number(set) * (isMoney ? 1_000_000 : 1)
    const amount = (value: number) => (isMoney ? `$${(value / 1_000_000).toFixed(2)}` : value.toLocaleString('en-US'))
    const unitName = isMoney ? '' : ` ${unit}`
    if (maximum === undefined) return [`${name}: about ${amount(used)}${unitName}`]
    return [`${name}: about ${amount(used)} of ${amount(maximum)}${unitName} per ${windowNames[window]} and ${per}`]
  })
}

const windowNames = {
  minute: 'minute',
  quarterHour: '15 minutes',
  hour: 'hour',
  day: 'day',
  pacificDay: 'day (Pacific time)',
  month: 'month',
}
