import { readKeyring } from '#kernel/secrets/keyring.ts'
import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import { demoCompanyPage, demoPage, exampleId, serial } from '../../../tests/contract/examples.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, type TestService, testKeys } from '../../../tests/support/service.ts'

export const contract: AreaContract = {
  examples: {
    'GET /credential/{id}': () => ({ id: demoPage }),
    'GET /credential': () => ({}),
    'PUT /credential/{id}': () => ({ id: demoPage, body: { displayName: 'Our page' } }),
    'DELETE /credential/{id}': async (service) => ({ id: await newCredential(service) }),
    'GET /credential/{id}/targeting-presets': () => ({ id: '003-1-2414184' }),
    'GET /app/api/network-use': () => ({}),
    'GET /app/api/network-setup': () => ({}),
    'POST /app/api/network-setup/{network}/check': () => ({ id: 'LinkedIn', shared: true }),
    'GET /app/api/network': () => ({}),
    'GET /app/api/connect-offer/{id}': async ({ databaseUrl }) => ({ id: await newOffer(databaseUrl, demoAccount) }),
    'POST /app/api/connect-offer/{id}': async ({ databaseUrl }) => ({
      id: await newOffer(databaseUrl, demoAccount),
      body: { remoteIds: [] },
    }),
    'POST /app/api/credential/{id}/targeting-presets': () => ({ id: demoCompanyPage, body: { name: 'Example' } }),
    'PUT /app/api/targeting-preset/{id}': async (service) => ({
      id: await newPreset(service),
      body: { name: 'Renamed' },
    }),
    'DELETE /app/api/targeting-preset/{id}': async (service) => ({ id: await newPreset(service) }),
  },
  entities: {
    credential: async ({ query, account, name }) => {
      const id = `003-1-${name}`
      await query(
        `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
        values ($1, $2, now(), now(), '', 'LinkedIn', $2, 'page', $2, $2, '', 'valid')`,
        [account, id],
      )
      return id
    },
    targetingPreset: async ({ made, name, entity }) =>
      made(`POST /app/api/credential/${await entity('credential')}/targeting-presets`, { name }, 'TargetingPreset'),
    connectOffer: ({ service, account }) => newOffer(service.databaseUrl, account),
  },
  absent: { credential: '003-1-absent' },
  restrictedReads: ['GET /app/api/connect-offer/{id}', 'GET /app/api/network-use', 'GET /app/api/network-setup'],
  listPlans: {
    rows: ({ each }) => [
      `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
      select account_id, '003-9-' || n, now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'Xing' else 'LinkedIn' end, n::text, 'page', 'Profile ' || (n * 7919 % 10000), '', '', case n % 10 when 0 then 'invalid' else 'valid' end from ${each}`,
      `insert into targeting_presets (account_id, id, created, modified, credential_id, name, company_size, industry, function, seniority, geography, language)
      select account_id, '0tpb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '003-9-' || (n % 100 + 1), 'Preset ' || n, '{}', '{}', '{}', '{}', '{}', '{}' from ${each}`,
    ],
    lists: (orders) => ({
      '/app/api/network': [''],
      '/app/api/network-use': [''],
      '/credential': [
        '_count=100',
        '_count=100&network=Xing',
        '_count=100&includeInvalid=1',
        '_count=100&_page=20',
        ...orders('created', 'name').map((order) => `_count=100&${order}`),
      ],
      '/credential/003-9-7/targeting-presets': ['', '_page=2', ...orders('created', 'name')],
    }),
    sorted: ['from "credentials"', 'from "targeting_presets"'],
  },
  notified: [
    {
      kind: 'profile',
      table: 'credentials',
      unseen: ['secret', 'secret_version', 'expires_on', 'renew_on', 'refreshing_until', 'notified_expiry', 'modified'],
    },
  ],
}

/** Inserted as a row: only logins create profiles. */
const newCredential = async ({ databaseUrl }: TestService): Promise<string> => {
  const id = `003-1-example${serial()}`
  await ownerQuery(
    databaseUrl,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
    values ('001demo00000001', $1, now(), now(), '', 'Xing', $1, 'page', 'Example', 'example', '', 'valid')`,
    [id],
  )
  return id
}

/** Inserted as a row: only a login at a network creates one. It gives access to no profile here. */
const newOffer = async (databaseUrl: string, account: string): Promise<string> => {
  const id = exampleId('0co')
  const user = account === demoAccount ? '00Ademo00000001' : '00Ademo00000005'
  const grants = readKeyring(testKeys).encrypt('[]', `connect offer/${account}/${id}`)
  await ownerQuery(
    databaseUrl,
    `insert into connect_offers (account_id, id, created, created_by, network, grants) values ($1, $2, now(), $3, 'LinkedIn', $4)`,
    [account, id, user, grants],
  )
  return id
}

const newPreset = async ({ admin }: TestService): Promise<string> =>
  (await admin(`POST /app/api/credential/${demoCompanyPage}/targeting-presets`, { body: { name: 'Example' } })).json
    .TargetingPreset.Id
