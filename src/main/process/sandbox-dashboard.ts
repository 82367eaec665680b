import { webhookUrl } from '#areas/profiles/setup/network-setup.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { manifests } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { sandboxApps } from './network-apps.ts'

interface Sandbox {
  url: string
  token: string
}

/** Enters in the sandbox where its networks shall call, as an operator does in the dashboards of real apps. */
export async function enterWebhooks(outbound: Outbound, { url, token }: Sandbox, serviceUrl: string): Promise<void> {
  const networks = openNetworks(sandboxApps(url), { outbound, clock: systemClock })
  for (const { network, code } of manifests) {
    const setup = networks.connector(network)?.webhookSetup?.(webhookUrl(serviceUrl, code))
    if (!setup?.isEntered) continue
    const { status, body } = await outbound.send({
      method: 'POST',
      url: `${url}/__sandbox/dashboard`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ network, ...setup }),
    })
    if (status !== 200) throw new Error(`The sandbox did not take the webhook of ${network}: ${body.toString('utf8')}`)
  }
}
