import type { Person } from '../connector/activity.ts'
import { NetworkError } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import { type Calls, type Holder, ifAllowed, type Listed, list, read } from './calls.ts'
import { at, encoded, lastOf, listAt, numberAt, textAt } from './fields.ts'
import { administrator } from './permissions.ts'

/** The member behind a token: by OpenID Connect where the app has it, else by the basic profile. */
export async function memberOf(calls: Calls, holder: Holder): Promise<Person & { name: string; username: string }> {
  const { scopes } = holder.secret
  const hasOpenId = scopes.length === 0 || scopes.includes('openid')
  const [who, me] = await Promise.all([
    hasOpenId ? ifAllowed(read(calls, holder, '/v2/userinfo')) : undefined,
    ifAllowed(read(calls, holder, `/v2/me?projection=${basicProfile}`)),
  ])
  const id = textAt(who, 'sub') ?? textAt(me, 'id')
  if (id === undefined) {
    const sentence = 'LinkedIn does not tell this app who logged in; it has to ask for r_basicprofile or openid.'
    throw new NetworkError('LinkedIn', { kind: 'permanent', why: 'config' }, sentence)
  }
  const name = textAt(who, 'name') ?? (nameIn(me) || id)
  const picture = textAt(who, 'picture') ?? streamIn(at(me, 'profilePicture'))
  return { id, name, username: textAt(me, 'vanityName') ?? name, picture }
}

const basicProfile =
  '(id,localizedFirstName,localizedLastName,vanityName,profilePicture(displayImage~:playableStreams))'

const nameIn = (person: Json | undefined) =>
  [textAt(person, 'localizedFirstName'), textAt(person, 'localizedLastName')].filter(Boolean).join(' ')

/** The largest of a picture's streams, which come smallest first. */
const streamIn = (picture: Json | undefined) =>
  textAt(listAt(listAt(picture, 'displayImage~', 'elements').at(-1), 'identifiers')[0], 'identifier')

/** The pages a member may post for, with the member's role there; none when the token does not reach pages. */
export async function rolesOf(calls: Calls, holder: Holder): Promise<Map<string, string>> {
  const path = '/rest/organizationAcls?q=roleAssignee&state=APPROVED'
  const roles = new Map<string, string>()
  for (let start: number | undefined = 0; start !== undefined; ) {
    const page: Listed | undefined = await ifAllowed(list(calls, holder, path, { start, count: 100 }))
    for (const acl of page?.elements ?? []) {
      const id = lastOf(textAt(acl, 'organization') ?? textAt(acl, 'organizationTarget') ?? '')
      const role = textAt(acl, 'role') ?? ''
      // Somebody can have several roles.
      if (id && postingRoles.includes(role) && roles.get(id) !== administrator) roles.set(id, role)
    }
    start = page?.next
  }
  return roles
}

const postingRoles = [administrator, 'CONTENT_ADMINISTRATOR']

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
    (await ifAllowed(read(calls, holder, `${path}CompanyFollowedByMember`)))
  return numberAt(size, 'firstDegreeSize')
}

/** Of the member behind the token; only apps with the right r_member_profileAnalytics are told. */
export async function memberFollowers(calls: Calls, holder: Holder): Promise<number | undefined> {
  const answer = await ifAllowed(read(calls, holder, '/rest/memberFollowersCount?q=me'))
  return numberAt(listAt(answer, 'elements')[0], 'memberFollowersCount')
}

/** People by their ids in one call; without names where LinkedIn does not tell them, as in the Development tier or of private members. */
export async function peopleOf(calls: Calls, holder: Holder, ids: readonly string[]): Promise<Map<string, Person>> {
  const wanted = [...new Set(ids)].filter((id) => !id.startsWith('urn:'))
  if (!wanted.length) return new Map()
  const keys = wanted.map((id) => `(id:${encoded(id)})`).join(',')
  const answer = await ifAllowed(read(calls, holder, `/rest/people?ids=List(${keys})`), 'input')
  return new Map(
    wanted.map((id) => {
      const told = at(answer, 'results', `(id:${id})`)
      return [id, { id, name: nameIn(told) || undefined, username: textAt(told, 'vanityName') }]
    }),
  )
}
