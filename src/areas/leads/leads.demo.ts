import type { Context } from '#kernel/context.ts'
import { sealSecret } from './integration/integration.ts'
import { namesOf, profileUrl } from './lead/person.ts'

const owner = '00Ademo00000001'
const crm = '014demo00000001'
const disabled = '014demo00000002'
const minute = 60_000
const hour = 60 * minute

/** Days and hours ago, type, and network. */
type Did = readonly [days: number, hours: number, type: string, network: string, said?: string]

interface DemoLead {
  name: string
  email: string
  phone?: string
  profile?: readonly [network: string, remoteId: string, username: string]
  did: readonly Did[]
  /** Id in the CRM. */
  record?: string
}

const leads: readonly DemoLead[] = [
  {
    name: 'Hanna Lindqvist',
    email: 'hanna.lindqvist@fjall.example',
    phone: '+46 8 555 012 30',
    record: 'crm-d1',
    profile: ['LinkedIn', 'hLq81x', 'hanna-lindqvist'],
    did: [
      [9, 3, 'click', 'LinkedIn'],
      [9, 2, 'conversion', 'LinkedIn'],
      [4, 5, 'comment', 'LinkedIn', 'We would like forty of these for our guides. Whom do I talk to?'],
    ],
  },
  {
    name: 'Matteo Ricci',
    email: 'matteo.ricci@sentieri.example',
    record: 'crm-d2',
    profile: ['Facebook', '700000000000101', ''],
    did: [
      [6, 1, 'message', 'Facebook', 'Buongiorno, scrivetemi pure a matteo.ricci@sentieri.example'],
      [2, 8, 'like', 'Facebook'],
    ],
  },
  {
    name: 'Chloé Martin',
    email: 'chloe.martin@altitude.example',
    profile: ['Instagram', '178414000009', 'chloe.en.altitude'],
    did: [[3, 4, 'comment', 'Instagram', 'Un devis pour un groupe ? chloe.martin@altitude.example']],
  },
  {
    name: '',
    email: 'einkauf@bergsport.example',
    did: [
      [5, 2, 'click', 'LinkedIn'],
      [5, 1, 'conversion', 'LinkedIn'],
    ],
  },
  {
    name: 'Daniel Okafor',
    email: 'daniel.okafor@trailhead.example',
    phone: '+234 1 555 0142',
    profile: ['Twitter', '1600000000000000042', 'dokafor_trails'],
    did: [
      [8, 6, 'mention', 'Twitter', 'Third winter with the same @northwindoutdoor jacket.'],
      [1, 3, 'reply', 'Twitter', 'Mail me at daniel.okafor@trailhead.example, happy to write about it.'],
    ],
  },
  {
    name: 'Yuki Tanabe',
    email: 'yuki.tanabe@yama.example',
    did: [
      [2, 2, 'click', 'YouTube'],
      [2, 1, 'conversion', 'YouTube'],
    ],
  },
  // Met elsewhere, or known by a profile only.
  { name: 'Sofia Almeida', email: '', phone: '+351 21 555 0177', did: [] },
  {
    name: 'Piotr Zieliński',
    email: '',
    profile: ['TikTok', '7200000000000000077', 'piotr.w.gorach'],
    did: [[1, 6, 'comment', 'TikTok', 'Gdzie to jest?']],
  },
  {
    name: 'Amara Diallo',
    email: '',
    profile: ['YouTube', 'UCdemoAmaraDiallo0077', ''],
    did: [[7, 7, 'share', 'YouTube']],
  },
]

/** Leads, a CRM for cases and a disabled integration, if the account has none. */
export async function seedLeads(context: Context, sandboxUrl?: string) {
  const { db, accountId } = context
  const some = await db.selectFrom('integrations').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (!some) {
    await seedIntegrations(context)
    await seedPeople(context)
  }
  if (sandboxUrl) await reachSandbox(context, `${sandboxUrl}/crm`)
}

async function seedIntegrations({ db, accountId, now }: Context) {
  const made = { accountId, created: now, modified: now, createdBy: owner, status: 'invalid' as const }
  const statusReason = 'Its settings are missing: how the other system is reached, and by what it lets us in.'
  await db
    .insertInto('integrations')
    .values([
      { ...made, id: crm, type: 'sandbox-crm', state: 'active', statusReason },
      { ...made, id: disabled, type: 'hubspot', state: 'disabled', statusReason },
    ])
    .execute()
}

/** The sandbox URL may differ at every start. */
async function reachSandbox({ db, accountId, keyring }: Context, baseUrl: string) {
  await db
    .updateTable('integrations')
    .set({
      status: 'valid',
      statusReason: '',
      settingsData: JSON.stringify({ baseUrl }),
      secret: sealSecret(keyring, { accountId, id: crm }, { accessToken: 'sandbox-crm-token' }),
    })
    .where('accountId', '=', accountId)
    .where('id', '=', crm)
    .execute()
}

async function seedPeople(context: Context) {
  const { db, accountId, now } = context
  const postlogs = await postlogsByNetwork(context)
  const numbered = (prefix: string, number: number) => `${prefix}demo${String(number).padStart(8, '0')}`
  let activities = 0
  for (const [index, { name, email, phone, profile, did, record }] of leads.entries()) {
    const leadId = numbered('0ld', index + 1)
    const created = new Date(now.getTime() - (24 * 10 - index * 7) * hour)
    const network = profile?.[0] ?? did[0]?.[3] ?? ''
    const campaignId = postlogs.get(network)?.campaignId ?? ''
    const row = { accountId, id: leadId, created, modified: created, email, ...namesOf(name), phone: phone ?? null }
    await db
      .insertInto('leads')
      .values({ ...row, network, campaignId })
      .execute()
    if (profile) {
      const [network, remoteId, username] = profile
      const known = { network, remoteId, username }
      await db
        .insertInto('leadProfiles')
        .values({ accountId, leadId, created, ...known, url: profileUrl(known) })
        .execute()
    }
    if (record)
      await db
        .insertInto('leadReferences')
        .values({ accountId, leadId, integrationId: crm, remoteIdentifier: email, linkedLeadId: record })
        .execute()
    for (const [days, hours, type, network, said] of did) {
      const postlog = postlogs.get(network)
      const id = numbered('0la', ++activities)
      const activityDate = new Date(now.getTime() - (days * 24 + hours) * hour)
      const where = {
        network,
        profileId: postlog?.credentialId ?? '',
        postlogId: postlog?.id ?? null,
        campaignId: postlog?.campaignId ?? '',
      }
      const data = JSON.stringify(said ? { Text: said } : {})
      await db
        .insertInto('leadActivities')
        .values({ accountId, id, leadId, activityDate, type, ...where, data, source: `demo/${id}` })
        .execute()
    }
  }
}

/** A sent post of each network. */
async function postlogsByNetwork({ db, accountId }: Context) {
  const rows = await db
    .selectFrom('postlogs')
    .select(['id', 'network', 'credentialId', 'campaignId'])
    .where('accountId', '=', accountId)
    .where('status', '=', 'success')
    .orderBy('id')
    .execute()
  return new Map(rows.map((row) => [row.network as string, row]))
}
