import { keepAll } from '#areas/profiles/connect/connect.ts'
import { search } from '#areas/profiles/credential/credential.ts'
import { systemClock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { gathered } from '#kernel/pages.ts'
import type { Grant } from '#networks/connector/connector.ts'
import { connectedNetworks, type Network } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { sandboxApps } from '../process/network-apps.ts'
import { sandboxLogin } from '../process/sandbox-process.ts'
import { version } from '../project.ts'
import type { Settings } from '../settings/settings.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'
import { nearest } from './nearest.ts'

const account = { help: 'Account id (001…)', required: true } as const
const page = { offset: 0, limit: undefined, order: { column: 'name', kind: 'text', ascending: true } } as const

export const credentialCommands: readonly Command[] = [
  {
    name: 'credential list',
    summary: 'List the social profiles of an account',
    options: { account },
    run: (settings, { account: accountId = '' }, say) =>
      withDatabase(settings, say, async ({ see }) => {
        const items = await see(accountId, async (context) =>
          gathered((await search(context, { includeInvalid: true, page })).items),
        )
        if (items.length === 0) say('There are no social profiles.')
        for (const { id, status, network, displayName } of items)
          say(`${id.padEnd(38)}${status.padEnd(9)}${network.padEnd(11)}${displayName}`)
      }),
  },
  {
    name: 'credential connect',
    summary: 'Connect profiles of the sandbox networks, which must be running, to an account',
    options: {
      account,
      network: { help: `One of ${connectedNetworks.join(', ')}`, required: true },
      profile: { help: 'Id on the network; every profile of the login when left out' },
      login: { help: 'Who logs in, by the id on the network; the first there is when left out' },
    },
    run: (settings, { account: accountId = '', network: word = '', profile, login }, say) =>
      withDatabase(settings, say, async ({ act }) => {
        const grants = await openedBy(settings, readNetwork(word), login)
        const wanted = profile ? grants.filter(({ remoteId }) => remoteId === profile) : grants
        if (wanted.length === 0)
          throw new Error(
            `The login opens no ${profile}; it opens ${grants.map(({ remoteId }) => remoteId).join(', ')}.`,
          )
        await act(accountId, { command: 'credential connect' }, (context) => keepAll(context, wanted))
        for (const { name, remoteId } of wanted) say(`Connected ${name} (${remoteId}).`)
      }),
  },
]

function readNetwork(word: string): Network {
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
