import { keepAll } from '#areas/profiles/connect/connect.ts'
import { search } from '#areas/profiles/credential/credential.ts'
import { checkNetwork } from '#areas/profiles/setup/network-check.ts'
import {
  type NetworkSetup,
  networkSetup,
  publicUrlMissing,
  readWebhookCalls,
  type WebhookCalls,
} from '#areas/profiles/setup/network-setup.ts'
import type { Finding } from '#kernel/app-inspection.ts'
import { systemClock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { gathered } from '#kernel/pages.ts'
import type { Grant } from '#networks/connector/connector.ts'
import { connectedNetworks, manifestOf, manifests, type Network } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { appFacts, networkApps, sandboxApps } from '../process/network-apps.ts'
import { openOutboundClient } from '../process/outbound-client.ts'
import { sandboxLogin } from '../process/sandbox-process.ts'
import { listAccounts } from '../process/storage.ts'
import { version } from '../project.ts'
import { nearest } from '../settings/setting-readers.ts'
import type { Settings } from '../settings/settings.ts'
import { accountOption, type Command, type Print, withDatabase } from './command.ts'
export const networksCommands: readonly Command[] = [
  {
    name: 'networks',
    summary: 'Show what to register with each network and how its app is set up; with --check, ask the networks',
    argument: { name: 'network', help: 'Only this one, e.g. LinkedIn', isOptional: true },
    options: {
      check: { help: 'Check credentials, tokens, scopes and webhooks; exit code 1 if there are problems', flag: true },
    },
    run: (settings, { network: name, check }, print) =>
      withDatabase(settings, print, async ({ url, database, installation, now }) => {
        const wanted = name === undefined ? manifests.map(({ network }) => network) : [readNetwork(name)]
        const outbound = openOutboundClient({
          settings,
          databaseUrl: url,
          port: () => settings.port,
          socketsPerOrigin: 8,
        })
        const networks = openNetworks(networkApps(settings), { outbound, clock: systemClock, version })
        const { publicUrl } = settings
        if (publicUrl === undefined) print(`${publicUrlMissing} Until then redirect and webhook URLs are not known.\n`)
        let problems = 0
        try {
          const calls = await readWebhookCalls(database.shared)
          const accountIds = check ? (await listAccounts(url)).map(({ id }) => id) : []
          for (const network of wanted) {
            const manifest = manifestOf(network)
            const facts = appFacts(settings, manifest, networks)
            show(networkSetup(manifest, { facts, calls: calls.get(network), publicUrl, now }), print)
            if (check && facts.hasApp) {
              const access = { ...installation, clock: systemClock, networks }
              const findings = await checkNetwork(access, network, { facts, accountIds })
              for (const finding of findings) print(row(outcomes[finding.outcome], `${finding.what}: ${finding.text}`))
              problems += findings.filter(({ outcome }) => outcome === 'problem').length
            }
            print('')
          }
        } finally {
          await outbound.close()
        }
        if (problems > 0) throw new Error(problems === 1 ? '1 problem was found.' : `${problems} problems were found.`)
      }),
  },
]

/** Accepts the name in the contract, the display name, or the name in settings. */
function readNetwork(word: string): Network {
  const names = manifests.flatMap(({ network, name, code }) => [network, name, code])
  const is = (name: string) => name.toLowerCase() === word.toLowerCase()
  const found = manifests.find(({ network, name, code }) => [network, name, code].some(is))
  if (found) return found.network
  throw new Error(`There is no network "${word}"; did you mean ${nearest(word, names)}?`)
}

const states: { readonly [state in NetworkSetup['state']]: string } = {
  missing: 'not set up',
  attention: 'needs attention',
  ready: 'ready',
}
const outcomes: { readonly [outcome in Finding['outcome']]: string } = {
  ok: 'OK',
  problem: 'PROBLEM',
  unknown: 'Not known',
}

function show(setup: NetworkSetup, print: Print) {
  const { name, network, state, isSandbox } = setup
  const called = name === network ? name : `${name} (${network})`
  print(`${called}: ${isSandbox ? 'the sandbox of the demo' : states[state]}`)
  for (const problem of setup.problems) print(row('Attention', problem))
  for (const { setting, means } of setup.missing) print(row('Not set', `${setting}: ${means}`))
  if (setup.redirectUrl) print(row('Redirect URL', setup.redirectUrl))
  if (setup.webhookUrl) print(row('Webhook URL', `${setup.webhookUrl}  ${registrations[setup.registration]}`))
  if (setup.verifyToken) print(row('Verify token', setup.verifyToken))
  if (setup.webhookFields.length > 0) print(row('Webhook fields', setup.webhookFields.join(', ')))
  for (const { name: recipe, help, setting, scopes, isCurrent } of setup.recipes) {
    const chosen = isCurrent ? 'in use' : ''
    print(row('Scopes', `${[recipe, help, setting, chosen].filter(Boolean).join(' · ')}`))
    print(row('', `  ${scopes.join(' ')}`))
  }
  print(row('Review', setup.review))
  print(row('Guide', setup.guide))
  print(row('API version', versionLine(setup)))
  print(row('Webhook calls', webhookStatusLine(setup)))
}

const registrations: { readonly [registration in NetworkSetup['registration']]: string } = {
  automatic: '(registered by Chorus)',
  manual: "(enter it in the app's dashboard)",
}

function versionLine({ version: { version: name, state, ends, isEstimate, setting, source } }: NetworkSetup): string {
  if (state === 'unknown') return `${name}, end unknown (${setting})`
  if (!ends) return `${name}, no end announced (${setting}; ${source})`
  const verb = state === 'ended' ? 'ended' : 'ends'
  return `${name}, ${verb} ${isEstimate ? 'about ' : ''}${ends.toISOString().slice(0, 10)} (${setting}; ${source})`
}

function webhookStatusLine({
  challenge,
  challenged,
  delivered,
}: WebhookCalls & Pick<NetworkSetup, 'challenge'>): string {
  const at = (moment: Date | null) => (moment ? `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC` : 'never')
  const last = `last valid delivery: ${at(delivered)}`
  return challenge === 'none' ? `no challenges; ${last}` : `last challenge answered: ${at(challenged)}; ${last}`
}

const row = (label: string, text: string) => `  ${label.padEnd(15)}${text}`

const page = { offset: 0, limit: undefined, order: { column: 'name', kind: 'text', ascending: true } } as const

export const credentialCommands: readonly Command[] = [
  {
    name: 'credential list',
    summary: 'List the social profiles of an account',
    options: { account: accountOption },
    run: (settings, { account: accountId = '' }, print) =>
      withDatabase(settings, print, async ({ see }) => {
        const items = await see(accountId, async (context) =>
          gathered((await search(context, { includeInvalid: true, page })).items),
        )
        if (items.length === 0) print('There are no social profiles.')
        for (const { id, status, network, displayName } of items)
          print(`${id.padEnd(38)}${status.padEnd(9)}${network.padEnd(11)}${displayName}`)
      }),
  },
  {
    name: 'credential connect',
    summary: 'Connect profiles of the sandbox networks, which must be running, to an account',
    options: {
      account: accountOption,
      network: { help: `One of ${connectedNetworks.join(', ')}`, required: true },
      profile: { help: 'Id on the network; every profile of the login when left out' },
      login: { help: 'Who logs in, by the id on the network; the first there is when left out' },
    },
    run: (settings, { account: accountId = '', network: name = '', profile, login }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        const grants = await openedBy(settings, readConnectedNetwork(name), login)
        const wanted = profile ? grants.filter(({ remoteId }) => remoteId === profile) : grants
        if (wanted.length === 0)
          throw new Error(
            `The login opens no ${profile}; it opens ${grants.map(({ remoteId }) => remoteId).join(', ')}.`,
          )
        await act(accountId, { command: 'credential connect' }, (context) => keepAll(context, wanted))
        for (const { name, remoteId } of wanted) print(`Connected ${name} (${remoteId}).`)
      }),
  },
]

function readConnectedNetwork(word: string): Network {
  const network = connectedNetworks.find((name) => name.toLowerCase() === word.toLowerCase())
  if (network) return network
  throw new Error(`There is no network "${word}"; did you mean ${nearest(word, [...connectedNetworks])}?`)
}

async function openedBy({ sandboxPort }: Settings, network: Network, login: string | undefined): Promise<Grant[]> {
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  try {
    const apps = sandboxApps(`http://127.0.0.1:${sandboxPort}`)
    const connector = openNetworks({ [network]: apps[network] }, { outbound, clock: systemClock, version }).connector(
      network,
    )
    return connector ? await sandboxLogin(connector, outbound, login) : []
  } finally {
    await outbound.close()
  }
}
