import type { Person } from '../connector/activity.ts'
import { type Calls, type Holder, ifAllowed, type Listed, list, read } from './calls.ts'
import { at, listAt, numberAt, textAt } from './fields.ts'
import { encoded, lastOf } from './urns.ts'

/** The member behind a token. */
export async function memberOf(calls: Calls, holder: Holder): Promise<Person & { name: string; username: string }> {
  const [who, me] = await Promise.all([
    read(calls, holder, '/v2/userinfo'),
    // Only apps with the older profile rights may ask for the name in the address.
    ifAllowed(read(calls, holder, '/v2/me')),
  ])
  const id = textAt(who, 'sub') ?? ''
  const name = textAt(who, 'name') ?? id
  return { id, name, username: textAt(me, 'vanityName') ?? name, picture: textAt(who, 'picture') }
}

/** The ids of the pages a member may post for; none when the token does not reach pages. */
export async function pageIdsOf(calls: Calls, holder: Holder): Promise<string[]> {
  const path = '/rest/organizationAcls?q=roleAssignee&state=APPROVED'
  const ids = new Set<string>()
  for (let start: number | undefined = 0; start !== undefined; ) {
    const page: Listed | undefined = await ifAllowed(list(calls, holder, path, { start, count: 100 }))
    for (const acl of page?.elements ?? []) {
      if (!postingRoles.includes(textAt(acl, 'role') ?? '')) continue
      ids.add(lastOf(textAt(acl, 'organization') ?? textAt(acl, 'organizationTarget') ?? ''))
    }
    start = page?.next
  }
  return [...ids].filter(Boolean)
}

const postingRoles = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR']

export async function pageOf(
  calls: Calls,
  holder: Holder,
  id: string,
): Promise<Person & { name: string; username: string }> {
  const page = await read(calls, holder, `/rest/organizations/${encoded(id)}`)
  const name = textAt(page, 'localizedName') ?? id
  const logo = textAt(page, 'logoV2', 'cropped') ?? textAt(page, 'logoV2', 'original')
  return { id, name, username: textAt(page, 'vanityName') ?? name, picture: await pictureAt(calls, holder, logo) }
}

/** Assets and images share their ids; only an image tells where it can be seen. */
async function pictureAt(calls: Calls, holder: Holder, asset: string | undefined): Promise<string | undefined> {
  if (asset === undefined) return undefined
  const image = await ifAllowed(read(calls, holder, `/rest/images/${encoded(`urn:li:image:${lastOf(asset)}`)}`))
  return textAt(image, 'downloadUrl')
}

export async function followersOf(calls: Calls, holder: Holder, page: string): Promise<number | undefined> {
  const path = `/rest/networkSizes/${encoded(page)}?edgeType=`
  // Second-hand: older collections spell the edge in the other way.
  const size =
    (await ifAllowed(read(calls, holder, `${path}COMPANY_FOLLOWED_BY_MEMBER`), 'input')) ??
    (await read(calls, holder, `${path}CompanyFollowedByMember`))
  return numberAt(size, 'firstDegreeSize')
}

/** Of the member behind the token; only apps with the right r_member_profileAnalytics are told. */
export async function memberFollowers(calls: Calls, holder: Holder): Promise<number | undefined> {
  const answer = await ifAllowed(read(calls, holder, '/rest/memberFollowersCount?q=me'))
  return numberAt(listAt(answer, 'elements')[0], 'memberFollowersCount')
}

/** People by their ids in one call; without names where LinkedIn does not tell them. */
export async function peopleOf(calls: Calls, holder: Holder, ids: readonly string[]): Promise<Map<string, Person>> {
  const wanted = [...new Set(ids)].filter((id) => !id.startsWith('urn:'))
  if (!wanted.length) return new Map()
  const keys = wanted.map((id) => `(id:${encoded(id)})`).join(',')
  const answer = await ifAllowed(read(calls, holder, `/rest/people?ids=List(${keys})`), 'input')
  return new Map(
    wanted.map((id) => {
      const told = at(answer, 'results', `(id:${id})`)
      const names = [textAt(told, 'localizedFirstName'), textAt(told, 'localizedLastName')].filter(Boolean)
      return [id, { id, name: names.join(' ') || undefined, username: textAt(told, 'vanityName') }]
    }),
  )
}
