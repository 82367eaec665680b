import type { Context } from '#kernel/context.ts'
import type { Grant } from '#networks/connector/connector.ts'
import { manifestOf, type NetworkName } from '#networks/manifests.ts'
import { keepProfile } from './connect/connected-profile.ts'

const owner = '00Ademo00000001'

/** The profiles that exist in the sandbox networks; their tokens are derived from network and id. */
const open = (
  network: Grant['network'],
  kind: Grant['kind'],
  remoteId: string,
  name: string,
  username: string,
): Grant => {
  const token = `sandbox-${network.toLowerCase()}-${remoteId}`
  const secret = { accessToken: `${token}-access`, refreshToken: `${token}-refresh`, scopes: [] }
  return { network, kind, remoteId, name, username, secret }
}

const member = open('LinkedIn', 'member', 'aDaM4demo1', 'Ada Marsh', 'ada-marsh')
const pages = { parentRemoteId: member.remoteId }

const grants: Grant[] = [
  open('Facebook', 'page', '100200300400501', 'Northwind Outdoor', 'northwindoutdoor'),
  open('Instagram', 'account', '17841400000000501', 'Northwind Outdoor', 'northwind.outdoor'),
  member,
  { ...open('LinkedIn', 'page', '2414183', 'Northwind Outdoor', 'northwind-outdoor'), ...pages },
  { ...open('LinkedIn', 'page', '2414184', 'Northwind Careers', 'northwind-careers'), ...pages },
  open('Twitter', 'account', '1500000000000000501', 'Northwind Outdoor', 'northwindoutdoor'),
  open('YouTube', 'channel', 'UCsandboxNorthwindOut501', 'Northwind Outdoor', 'northwindoutdoor'),
  open('TikTok', 'account', '7100000000000000501', 'Northwind Outdoor', 'northwindoutdoor'),
]

/** One profile with a revoked grant, and two of networks that cannot be connected. */
const others: {
  network: NetworkName
  networkAccountId: string
  name: string
  networkUsername: string
  reason: string
}[] = [
  {
    network: 'Facebook',
    networkAccountId: '100200300400777',
    name: 'Northwind Stores',
    networkUsername: 'northwindstores',
    reason: 'Facebook: The session was ended because the password was changed.',
  },
  {
    network: 'WeChat',
    networkAccountId: 'gh_northwind501',
    name: 'Northwind 户外',
    networkUsername: 'northwind_cn',
    reason: '',
  },
  {
    network: 'Xing',
    networkAccountId: '50100501',
    name: 'Northwind Outdoor',
    networkUsername: 'northwind',
    reason: '',
  },
]

const presets = [
  { name: 'Engineers in Germany', function: ['8'], geography: ['101282230'], seniority: ['4', '5'] },
  { name: 'Retail, 51 to 500 people', industry: ['27'], companySize: ['SIZE_51_TO_200', 'SIZE_201_TO_500'] },
  { name: 'Spanish speakers', language: ['es_ES'] },
]

/** Connects the account to the sandbox networks, unless it has profiles. */
export async function seedProfiles(context: Context, sandboxUrl?: string) {
  const { db, accountId, now: created } = context
  const some = await db.selectFrom('credentials').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const ids = new Map<string, string>()
  for (const grant of grants) {
    const picture = sandboxUrl && `${sandboxUrl}/${pathOf(grant)}/profiles/${grant.remoteId}/picture`
    // Without reactions to events: workers discover the new profiles themselves.
    const seeding = { ...context, userId: owner, react: async () => {} }
    ids.set(grant.remoteId, await keepProfile(seeding, { ...grant, picture }))
  }
  const digits = ids.get('2414184')?.split('-')[1]
  const base = { accountId, created, modified: created, createdBy: owner, kind: 'page' as const, imageLink: '' }
  await db
    .insertInto('credentials')
    .values(
      others.map(({ reason, ...profile }) => ({
        ...base,
        ...profile,
        id: `003-${digits}-${profile.networkAccountId}`,
        status: reason ? ('invalid' as const) : ('valid' as const),
        statusReason: reason,
        invalidSince: reason ? created : null,
      })),
    )
    .execute()
  const nothing = { companySize: [], industry: [], function: [], seniority: [], geography: [], language: [] }
  const credentialId = ids.get('2414184') ?? ''
  const about = { accountId, created, modified: created, credentialId, ...nothing }
  const rows = presets.map((preset, index) => ({ ...about, ...preset, id: `0tpdemo0000000${index + 1}` }))
  await db.insertInto('targetingPresets').values(rows).execute()
}

/** Profiles that users connected for their own shares, by user: the sandbox does not know them, so they have to be reconnected. */
export async function seedOwnProfiles(
  { db, accountId, now: created }: Context,
  people: readonly { id: string; name: string }[],
): Promise<Map<string, string>> {
  const { number } = await db
    .selectFrom('accounts')
    .select('number')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const rows = people.map(({ id: createdBy, name }) => {
    const networkUsername = name.toLowerCase().replaceAll(' ', '-')
    const own = {
      boardOnly: true,
      status: 'invalid' as const,
      statusReason: 'Connect the profile again to share on it.',
      invalidSince: created,
    }
    return {
      accountId,
      id: `003-${number}-${networkUsername}`,
      created,
      modified: created,
      createdBy,
      name,
      ...own,
      network: 'LinkedIn' as const,
      networkAccountId: networkUsername,
      networkUsername,
      kind: 'member' as const,
      imageLink: '',
    }
  })
  await db.insertInto('credentials').values(rows).execute()
  return new Map(rows.map(({ createdBy, id }) => [createdBy, id]))
}

const pathOf = ({ network }: Grant) => manifestOf(network).code
