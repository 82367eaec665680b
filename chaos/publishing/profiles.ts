import { keepProfile } from '#areas/profiles/connect/connected-profile.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Grant } from '#networks/connector/connector.ts'
import { account } from '../installation.ts'
import type { Stage } from './stage.ts'

type Kind = Pick<Grant, 'network' | 'kind'>

export const kinds = {
  x: { network: 'Twitter', kind: 'account' },
  facebook: { network: 'Facebook', kind: 'page' },
  linkedInPage: { network: 'LinkedIn', kind: 'page' },
  linkedInMember: { network: 'LinkedIn', kind: 'member' },
  instagram: { network: 'Instagram', kind: 'account' },
  youtube: { network: 'YouTube', kind: 'channel' },
  tiktok: { network: 'TikTok', kind: 'account' },
} satisfies Record<string, Kind>

/** A profile at a sandbox network, connected. */
export interface ConnectedProfile extends Kind {
  /** In the service. */
  id: string
  /** At the network. */
  remoteId: string
}

interface Made {
  id: string
  username: string
  accessToken: string
  refreshToken: string | null
  scopes: string[]
}

const monthSeconds = 30 * 24 * 60 * 60

/** Makes profiles at their networks and connects them, as a login would. */
export async function connectProfiles(stage: Stage, kinds: readonly Kind[]): Promise<ConnectedProfile[]> {
  const grants: Grant[] = []
  for (const [index, { network, kind }] of kinds.entries()) {
    const name = `Chaos ${network} ${index}`
    const asked = { network, kind, name, expiresInSeconds: monthSeconds }
    const { id, username, accessToken, refreshToken, scopes } = (await stage.control('/profile', asked)) as Made
    // Most apps may not read what members post.
    const secret = { accessToken, scopes: kind === 'member' ? [] : scopes, ...(refreshToken && { refreshToken }) }
    grants.push({ network, kind, remoteId: id, name, username, secret })
  }
  const { installation } = stage
  return change(installation, systemActor(account, installation.clock.now()), async (context) => {
    const connected: ConnectedProfile[] = []
    for (const grant of grants)
      connected.push({
        network: grant.network,
        kind: grant.kind,
        remoteId: grant.remoteId,
        id: await keepProfile({ ...context, userId: '00Ademo00000001' }, grant),
      })
    return connected
  })
}
