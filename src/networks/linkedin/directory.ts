import type { Person } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Json } from '../http/json.ts'
import { type Holder, ifAllowed, type LinkedInClient, type Listed, requestList, requestObject } from './client.ts'
import { at, encoded, lastOf, listAt, numberAt, textAt } from './fields.ts'
import { administrator } from './permissions.ts'

/** The member a token belongs to: by OpenID Connect if the app has it, otherwise by the basic profile. */
export async function memberOf(
  client: LinkedInClient,
  holder: Holder,
): Promise<Person & { name: string; username: string }> {
  const { scopes } = holder.secret
  const hasOpenId = scopes.length === 0 || scopes.includes('openid')
  const [who, me] = await Promise.all([
    hasOpenId ? ifAllowed(requestObject(client, holder, '/v2/userinfo')) : undefined,
    ifAllowed(requestObject(client, holder, `/v2/me?projection=${basicProfile}`)),
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

/** The largest of an image's streams, which come smallest first. */
const streamIn = (picture: Json | undefined) =>
  textAt(listAt(listAt(picture, 'displayImage~', 'elements').at(-1), 'identifiers')[0], 'identifier')

/** The pages a member may post to, with the member's role; empty if the token doesn't cover pages. */
export async function rolesOf(client: LinkedInClient, holder: Holder): Promise<Map<string, string>> {
  const path = '/rest/organizationAcls?q=roleAssignee&state=APPROVED'
  const roles = new Map<string, string>()
  for (let start: number | undefined = 0; start !== undefined; ) {
    const page: Listed | undefined = await ifAllowed(requestList(client, holder, path, { start, count: 100 }))
    for (const acl of page?.elements ?? []) {
      const id = lastOf(textAt(acl, 'organization') ?? textAt(acl, 'organizationTarget') ?? '')
      const role = textAt(acl, 'role') ?? ''
      // A member can have several roles.
      if (id && postingRoles.includes(role) && roles.get(id) !== administrator) roles.set(id, role)
    }
    start = page?.next
  }
  return roles
}

const postingRoles = [administrator, 'CONTENT_ADMINISTRATOR']

export async function pageOf(
  client: LinkedInClient,
  holder: Holder,
  id: string,
): Promise<Person & { name: string; username: string }> {
  const page = await requestObject(client, holder, `/rest/organizations/${encoded(id)}`)
  const name = textAt(page, 'localizedName') ?? id
  const logo = textAt(page, 'logoV2', 'cropped') ?? textAt(page, 'logoV2', 'original')
  return { id, name, username: textAt(page, 'vanityName') ?? name, picture: await pictureAt(client, holder, logo) }
}

/** Assets and images share their ids; only an image has a download URL. */
async function pictureAt(
  client: LinkedInClient,
  holder: Holder,
  asset: string | undefined,
): Promise<string | undefined> {
  if (asset === undefined) return undefined
  const image = await ifAllowed(
    requestObject(client, holder, `/rest/images/${encoded(`urn:li:image:${lastOf(asset)}`)}`),
  )
  return textAt(image, 'downloadUrl')
}

export async function followersOf(client: LinkedInClient, holder: Holder, page: string): Promise<number | undefined> {
  const path = `/rest/networkSizes/${encoded(page)}?edgeType=`
  // From secondary sources: older collections spell the edge differently.
  const size =
    (await ifAllowed(requestObject(client, holder, `${path}COMPANY_FOLLOWED_BY_MEMBER`), 'input')) ??
    (await ifAllowed(requestObject(client, holder, `${path}CompanyFollowedByMember`)))
  return numberAt(size, 'firstDegreeSize')
}

/** Requires the scope r_member_profileAnalytics. */
export async function memberFollowers(client: LinkedInClient, holder: Holder): Promise<number | undefined> {
  const response = await ifAllowed(requestObject(client, holder, '/rest/memberFollowersCount?q=me'))
  return numberAt(listAt(response, 'elements')[0], 'memberFollowersCount')
}

/** People by their ids in one request; names are missing in the Development tier and for private members. */
export async function peopleOf(
  client: LinkedInClient,
  holder: Holder,
  ids: readonly string[],
): Promise<Map<string, Person>> {
  const personIds = [...new Set(ids)].filter((id) => !id.startsWith('urn:'))
  if (!personIds.length) return new Map()
  const keys = personIds.map((id) => `(id:${encoded(id)})`).join(',')
  const response = await ifAllowed(requestObject(client, holder, `/rest/people?ids=List(${keys})`), 'input')
  return new Map(
    personIds.map((id) => {
      const row = at(response, 'results', `(id:${id})`)
      return [id, { id, name: nameIn(row) || undefined, username: textAt(row, 'vanityName') }]
    }),
  )
}
