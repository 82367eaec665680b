import { grantFor } from '../graph/access.ts'
import { listing } from '../graph/listing.ts'
import { unknownObject } from '../graph/refusals.ts'
import type { Answer, Call } from '../http/call.ts'
import type { Grant } from '../state/access-rows.ts'
import { deathOf, issueGrant } from '../state/grants.ts'
import type { Profile } from '../state/rows.ts'

/** GET /me/accounts: the pages on which the person has a role, each with a token of its own. */
export function pages(call: Call): Answer {
  return listPages(call, ({ business }) => business === undefined)
}

/** GET /me/businesses: the portfolios the person belongs to. */
export function businesses(call: Call): Answer {
  const { account } = grantFor(call, 'business_management')
  const ids = new Set(pagesOf(call, account).flatMap(({ business }) => business ?? []))
  const rows = [...ids].map((id) => ({ id, name: `Business ${id}` }))
  return listing(call, rows, (row) => row, 'id,name')
}

/** GET /{business}/owned_pages and /client_pages. */
export const businessPages = (access: 'owned' | 'client') => (call: Call) => {
  const { account } = grantFor(call, 'business_management')
  const id = call.params.id ?? ''
  if (!pagesOf(call, account).some(({ business }) => business === id)) unknownObject(id)
  return listPages(call, (page) => page.business === id && page.access === access)
}

const everyTask = ['ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE']

function listPages(call: Call, isListed: (page: Profile) => boolean): Answer {
  const grant = grantFor(call, 'pages_show_list')
  const shape = (page: Profile) => {
    const instagram = call.world.profiles.find((row) => row.network === 'Instagram' && row.page === page.id)
    const tasks = page.tasks ?? everyTask
    return {
      id: page.id,
      name: page.name,
      username: page.username,
      category: 'Business',
      // Without any task on the page there is no token for it.
      ...(tasks.length && !tasks.includes('NONE') ? { access_token: pageToken(call, grant, page), tasks } : {}),
      picture: { data: { url: `${call.origin}/facebook/profiles/${page.id}/picture`, is_silhouette: false } },
      ...(instagram ? { instagram_business_account: { id: instagram.id } } : {}),
    }
  }
  return listing(call, pagesOf(call, grant.account).filter(isListed), shape, 'id,name,access_token,category,tasks')
}

const pagesOf = ({ world }: Call, account: string) =>
  world.profiles.all().filter((page) => page.network === 'Facebook' && page.account === account)

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
