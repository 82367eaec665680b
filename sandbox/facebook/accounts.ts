import { grantFor } from '../graph/access.ts'
import { listing } from '../graph/listing.ts'
import type { Answer, Call } from '../http/call.ts'
import type { Grant } from '../state/access-rows.ts'
import { deathOf, issueGrant } from '../state/grants.ts'
import type { Profile } from '../state/rows.ts'

/** GET /me/accounts: the pages the person runs, each with a token of its own. */
export function pages(call: Call): Answer {
  const grant = grantFor(call, 'pages_show_list')
  const owned = call.world.profiles
    .all()
    .filter(({ network, account }) => network === 'Facebook' && account === grant.account)
  const shape = (page: Profile) => {
    const instagram = call.world.profiles.find((row) => row.network === 'Instagram' && row.page === page.id)
    return {
      id: page.id,
      name: page.name,
      username: page.username,
      category: 'Business',
      access_token: pageToken(call, grant, page),
      tasks: ['ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'],
      picture: { data: { url: `${call.origin}/facebook/profiles/${page.id}/picture`, is_silhouette: false } },
      ...(instagram ? { instagram_business_account: { id: instagram.id } } : {}),
    }
  }
  return listing(call, owned, shape, 'id,name,access_token,category,tasks')
}

/** A page's token taken from a long token has no end; from a short one it ends with it. Asked again, it is the same. */
function pageToken({ world }: Call, { account, scopes, longLived: long, expiresAt }: Grant, { id }: Profile): string {
  const endsAt = long ? undefined : expiresAt
  const known = world.grants.find(
    (grant) =>
      grant.kind === 'page' &&
      grant.profile === id &&
      grant.account === account &&
      grant.expiresAt === endsAt &&
      grant.scopes.join() === scopes.join() &&
      !deathOf(world, grant),
  )
  if (known) return known.token
  const lifetimeMs = endsAt === undefined ? null : endsAt - world.clock.now()
  return issueGrant(world, { network: 'Facebook', kind: 'page', account, profile: id, scopes, lifetimeMs }).token
}
