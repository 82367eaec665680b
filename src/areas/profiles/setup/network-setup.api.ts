import { z } from 'zod'
import type { AppFacts } from '#kernel/app-inspection.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, flag, listOf, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { list, parts } from '#kernel/wire/replies.ts'
import { connectedNetworks, isConnected, manifestOf, type Network, networkSpellings } from '#networks/manifests.ts'
import { networkSetup, publicUrlMissing, readWebhookCalls, setupStates } from './network-setup.ts'

const MissingSetting = shape('MissingSetting', { Setting: text, Means: text })
const AppRecipe = shape('AppRecipe', {
  Name: text,
  Help: text,
  Setting: text,
  Scopes: listOf(text),
  IsCurrent: flag,
})
const NetworkSetup = shape('NetworkSetup', {
  Network: choice(connectedNetworks),
  State: choice(setupStates),
  IsSandbox: flag,
  Problems: listOf(text),
  Missing: listOf(MissingSetting),
  RedirectUrl: text,
  WebhookUrl: text,
  Registration: choice(['automatic', 'manual']),
  Challenge: choice(['verify-token', 'open', 'none']),
  WebhookFields: listOf(text),
  VerifyToken: text,
  Recipes: listOf(AppRecipe),
  Review: text,
  Guide: text,
  Version: text,
  VersionState: choice(['current', 'ending', 'ended', 'undated', 'unknown']),
  VersionEnds: zeroDatetime,
  VersionIsEstimate: flag,
  VersionSource: text,
  VersionSetting: text,
  Challenged: zeroDatetime,
  Delivered: zeroDatetime,
})
const NetworkFinding = shape('NetworkFinding', {
  What: text,
  Outcome: choice(['ok', 'problem', 'unknown']),
  Text: text,
})

export const endpoints = [
  appEndpoint('GET /network-setup', {
    operationId: 'listNetworkSetup',
    summary: 'Get the app setup of each network and items that need attention',
    needs: 'administer',
    params: z.object({}),
    reply: parts({ PublicUrlProblem: text, Items: listOf(NetworkSetup) }),
    before: readApps,
    run: listSetups,
  }),
  appEndpoint('POST /network-setup/{network}/check', {
    operationId: 'checkNetworkSetup',
    summary: 'Check the app of a network and the tokens of the account’s profiles',
    needs: 'administer',
    readsOnly: true,
    params: z.object({ network: params.pathName }),
    reply: list(NetworkFinding),
    before: ({ apps, accountId }, { network }) => apps.check(accountId, requireNetwork(network)),
    run: async (_context, _input, items) => ({ items, total: items.length }),
  }),
]

function requireNetwork(name: string): Network {
  const spelled = networkSpellings[name] ?? name
  if (!isConnected(spelled)) throw missing('Network')
  return spelled
}

interface Apps {
  publicUrl: string | undefined
  facts: ReadonlyMap<string, AppFacts>
}

async function readApps({ apps }: ExternalIo): Promise<Apps> {
  const shows = await apps.showsVerifyTokens()
  const facts = connectedNetworks.map((network) => {
    const { verifyToken, ...known } = apps.facts(network)
    return [network, { ...known, verifyToken: shows ? verifyToken : undefined }] as const
  })
  return { publicUrl: apps.publicUrl, facts: new Map(facts) }
}

async function listSetups({ db, now }: Context, _input: object, { publicUrl, facts }: Apps) {
  const calls = await readWebhookCalls(db)
  const items = connectedNetworks.map((network) => {
    const known = { facts: facts.get(network) as AppFacts, calls: calls.get(network), publicUrl, now }
    const { version, ...setup } = networkSetup(manifestOf(network), known)
    return {
      ...setup,
      version: version.version,
      versionState: version.state,
      versionEnds: version.ends ?? null,
      versionIsEstimate: version.isEstimate,
      versionSource: version.source,
      versionSetting: version.setting,
    }
  })
  return { publicUrlProblem: publicUrl === undefined ? publicUrlMissing : '', items }
}
