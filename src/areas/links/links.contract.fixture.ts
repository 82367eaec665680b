import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import type { Scene } from '../../../tests/contract/event-scene.ts'
import { exampleId, serial } from '../../../tests/contract/examples.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, type TestService } from '../../../tests/support/service.ts'
import { newCampaign, newMovedPost } from '../publishing/publishing.contract.fixture.ts'
import { browser } from './redirect/links.fixture.ts'

export const contract: AreaContract = {
  examples: {
    'GET /cname': () => ({}),
    'POST /cname': () => ({ body: { cname: newDomain() } }),
    'POST /cname/{id}': async (service) => ({ id: await newCname(service), body: { cname: newDomain() } }),
    'DELETE /cname/{id}': async (service) => ({ id: await newCname(service) }),
    'GET /link/{id}': () => ({ id: 'demo0001', shared: true }),
    'GET /link': () => ({ body: { hash: 'demo0001' } }),
    'POST /link/{id}': () => ({ id: '008demo00000002', body: { longUrl: 'https://example.com/elsewhere' } }),
    'GET /click': () => ({}),
    'GET /conversion-tag': () => ({}),
    'GET /app/api/link-preview': ({ pictureUrl }) => ({ body: { url: pictureUrl || 'https://93.184.216.34/' } }),
    'POST /app/api/link/{id}/disable': async (service) => ({ id: await newLink(service) }),
    'POST /app/api/link/{id}/enable': async (service) => {
      const id = await newLink(service)
      await service.admin(`POST /app/api/link/${id}/disable`)
      return { id }
    },
    'GET /app/api/link/{id}/changes': () => ({ id: '008demo00000002' }),
    'GET /app/api/link/{id}/clicks': () => ({ id: '008demo00000002' }),
    'GET /app/api/link-settings': () => ({}),
    'POST /app/api/link-settings': () => ({ body: { utmTerm: 'example' } }),
    'GET /app/api/campaign/{id}/link-settings': async (service) => ({ id: await newCampaign(service) }),
    'POST /app/api/campaign/{id}/link-settings': async (service) => ({
      id: await newCampaign(service),
      body: { utmTerm: 'example' },
    }),
    'GET /app/api/conversion-tag/{id}': async (service) => ({ id: await newConversionTag(service) }),
    'POST /app/api/conversion-tag': () => ({ body: { tag: 'Example' } }),
    'PUT /app/api/conversion-tag/{id}': async (service) => ({
      id: await newConversionTag(service),
      body: { tag: 'Renamed' },
    }),
    'DELETE /app/api/conversion-tag/{id}': async (service) => ({ id: await newConversionTag(service) }),
  },
  audit: {
    'POST /app/api/link-settings': { entity: demoAccount, requiresNothing: true },
  },
  entities: {
    // Inserted as rows: links are created at publishing time, and only visitors click.
    link: async ({ query, name, entity }) => {
      const [post, id] = [await entity('post'), `008${name}`.padEnd(15, '0')]
      await query(
        `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, post_id, credential_id, network, original_url, long_url)
        select account_id, $2, now(), now(), $3, campaign_id, message_id, id, credential_ids[1], network, 'https://example.com', 'https://example.com'
        from posts where id = $1`,
        [post, id, name.padEnd(8, '0')],
      )
      await query(clicked, [post, `009${name}`.padEnd(15, '0'), id, `visitor-${name}`, `lead-${name}`])
      return id
    },
    linkHash: async ({ name, entity }) => {
      await entity('link')
      return name.padEnd(8, '0')
    },
    visitor: async ({ name, entity }) => {
      await entity('link')
      return `visitor-${name}`
    },
    clickedLead: async ({ name, entity }) => {
      await entity('link')
      return `lead-${name}`
    },
    cname: ({ made, name }) => made('POST /cname', { cname: `${name}.brand.example` }, 'Cname'),
    conversionTag: ({ made, name }) => made('POST /app/api/conversion-tag', { tag: name }, 'ConversionTag'),
  },
  scopedKinds: ['link', 'linkHash', 'clickedLead', 'visitor'],
  absent: { linkHash: 'absent00', clickedLead: 'lead-absent', visitor: 'visitor-absent' },
  bridge: async (service, seen, invisible) => {
    const moved = await newMovedPost(service, seen, invisible)
    await ownerQuery(service.databaseUrl, clicked, [
      moved,
      '009bridge000000',
      seen.link,
      'visitor-bridge',
      'lead-bridge',
    ])
  },
  causes: {
    newConversion: { campaign: converted },
  },
  listPlans: {
    rows: ({ each }) => [
      `insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id, lead_id, converted)
      select account_id, '009b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', '008b' || lpad((n % 1000 + 1)::text, 11, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), '005b' || lpad((n % 1000 + 1)::text, 11, '0'), '', '003-9-' || (n % 50), 'LinkedIn', case n % 10 when 0 then 'bot' else 'human' end, 'visitor' || (n % 2000), case n % 100 when 1 then '0ldb' || lpad((n % 500)::text, 11, '0') else '' end, case n % 50 when 1 then now() end from ${each}`,
      `insert into conversion_tags (account_id, id, created, modified, created_by, tag, status)
      select account_id, '0ctb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tag', 'active' from ${each}`,
      `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
      select account_id, '008b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), lpad(n::text, 8, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), '005b' || lpad((n % 1000 + 1)::text, 11, '0'), '003-9-' || (n % 50), 'LinkedIn', 'https://example.com/', 'https://example.com/' from ${each}`,
      `insert into cnames (account_id, id, created, modified, created_by, name, checked)
      select account_id, '0CNb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'bulk' || n || '.example.com', now() from ${each}`,
    ],
    lists: (orders) => ({
      '/app/api/link/008b00000000007/changes': [''],
      '/app/api/link/008b00000000007/clicks': [''],
      '/click': [
        '',
        '_page=50',
        '_count=200',
        'after=2026-01-01T00:00:00',
        'before=2026-01-01T00:00:00',
        'convertsOnly=1',
        ...['created', 'campaignName', 'credentialName']
          .flatMap((field) => orders(field))
          .flatMap((order) => [
            order,
            `${order}&_page=50`,
            `${order}&convertsOnly=1`,
            `${order}&leadId=0ldb00000000101`,
            `${order}&messageId=005b00000000007`,
            `${order}&campaignId=002b00000000007`,
            `${order}&visitorId=visitor7`,
            `${order}&after=2026-01-01T00:00:00&before=2026-10-01T00:00:00`,
          ]),
      ],
      '/conversion-tag': [
        '_count=100',
        '_count=100&_page=50',
        ...orders('created').map((order) => `_count=100&${order}`),
      ],
      '/cname': ['_count=100', '_count=100&_page=50', ...orders('created').map((order) => `_count=100&${order}`)],
      '/link': [
        '',
        '_page=50',
        'hash=00000007',
        'ids=008b00000000007',
        'hash=00000007&credentialIds=003-9-7',
        ...orders('created').flatMap((order) => [
          order,
          `${order}&credentialIds=003-9-7`,
          `${order}&credentialIds=003-9-7,003-9-8`,
        ]),
      ],
    }),
    sorted: [
      // The kinds of clicks of one link.
      'group by "class"',
      // One link, and the links of several profiles.
      '"hash" = ',
      '"credential_id" in ',
      // The few clicks that match a filter, sorted by name.
      'order by (select lower(',
    ],
  },
}

const clicked = `insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id, lead_id)
  select account_id, $2, now(), $3, campaign_id, message_id, id, credential_ids[1], network, 'human', $4, $5 from posts where id = $1`

const newDomain = () => `example${serial()}.brand.example`

const newCname = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /cname', { body: { cname: newDomain() } })).json.Cname.Id

const newConversionTag = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /app/api/conversion-tag', { body: { tag: 'Example' } })).json.ConversionTag.Id

/** Inserted as a row: links are created at publishing time. */
const newLink = async ({ databaseUrl }: TestService): Promise<string> => {
  const id = exampleId('008')
  await ownerQuery(
    databaseUrl,
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
    select account_id, $1, now(), now(), right($1, 8), campaign_id, message_id, credential_id, network, long_url, long_url
    from links where id = '008demo00000002'`,
    [id],
  )
  return id
}

/** Visitors follow the link of the restricted post and reach a page with a conversion tag. */
async function converted({ service, made, unique, post }: Scene) {
  const tag = await made('POST /app/api/conversion-tag', { tag: unique('Sign-up') }, 'ConversionTag')
  const links = await service.admin('GET /link', { query: '_count=100' })
  const { Hash } = links.json.Items.find((link: { PostId: string }) => link.PostId === post.id)
  const headers = { 'user-agent': browser }
  const visit = await fetch(`${service.url}/l/${Hash}`, { redirect: 'manual', headers })
  const cookie = visit.headers.get('set-cookie')?.split(';')[0] ?? ''
  await fetch(`${service.url}/l/conversion.gif?tag=${tag}`, { headers: { ...headers, cookie } })
  return tag
}
