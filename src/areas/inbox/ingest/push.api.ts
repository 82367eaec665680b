import { openWebhookNotes } from '#areas/profiles/setup/network-setup.ts'
import type { PushAnswer, PushRoute } from '#kernel/http/route/push-route.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Log } from '#kernel/log.ts'
import { networkOfCode } from '#networks/manifests.ts'
import type { Networks } from '#networks/networks.ts'
import { storePush } from './push.ts'

interface PushInstallation extends Installation {
  networks: Networks
  log: Log
}

/** Webhooks of the networks: the signature identifies the app, and the URL contains no account. */
export const pushes = ({ networks, log, ...installation }: PushInstallation): PushRoute => {
  const note = openWebhookNotes({ database: installation.database, log })
  return {
    path: '/push/{network}',
    maximumBytes: 2 ** 20,
    async run({ parts, ...request }) {
      const network = networkOfCode(parts.network ?? '')
      const connector = network && networks.connector(network)
      if (!network || !connector) return responseText(404, 'There is no such network here.')
      const verdict = connector.verifyPush({ ...request, receivedAt: installation.clock.now() })
      if (!verdict.ok) {
        log.warn({ network, reason: verdict.reason }, 'a push was refused')
        return { ...responseText(verdict.status, verdict.reason), isUnproven: true }
      }
      await storePush(installation, network, verdict.items)
      await note(network, request.method === 'GET' ? 'challenged' : 'delivered', installation.clock.now())
      return verdict.response
    },
  }
}

const responseText = (status: number, body: string): PushAnswer => ({ status, type: 'text/plain; charset=utf-8', body })
