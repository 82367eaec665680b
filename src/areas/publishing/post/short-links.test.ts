import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeLinks } from '#areas/links/link/link-create.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { type Publishing, profiles, startPublishing } from '../../../../tests/support/publishing.ts'
import { demoAccount } from '../../../../tests/support/service.ts'

let publishing: Publishing
const base = 'https://nw.example/l'
beforeAll(async () => {
  publishing = await startPublishing({ environment: { CHORUS_SHORT_URL: base } })
})
beforeEach(() => publishing.sandbox.control('/faults', undefined))
afterAll(() => publishing.stop())

let numbered = 0
const words = (about: string) => `${about} ${process.pid} ${numbered++}`

interface LinkRow {
  id: string
  hash: string
  original_url: string
  credential_id: string
  params: object
  post_id: string
}
const linksOf = (postId: string) =>
  ownerQuery<LinkRow>(
    publishing.databaseUrl,
    'select id, hash, original_url, params, post_id, credential_id from links where post_id = $1 order by credential_id, original_url',
    [postId],
  )

test('URLs in a text are published as short links, which the postlog lists', async () => {
  const campaignId = await publishing.campaign('Spring & more')
  const about = words('Read')
  const message = `${about}: https://example.com/a?x=1#top, (https://example.com/b) and https://example.com/a?x=1#top.`
  const { Id } = await publishing.post('LinkedIn', profiles.linkedInPage, { message, campaignId })
  const post = await publishing.settled(Id)
  expect(post.Status, JSON.stringify(post)).toBe('complete')
  const links = await linksOf(Id)
  expect(links.map(({ original_url }) => original_url)).toEqual([
    'https://example.com/a?x=1#top',
    'https://example.com/b',
  ])
  const [a, b] = links.map(({ hash }) => `${base}/${hash}`)
  const [entry] = await publishing.published(about)
  expect(entry?.text).toBe(`${about}: ${a}, (${b}) and ${a}.`)
  expect(links[0]?.params).toEqual({ utm_source: 'linkedin', utm_medium: 'social', utm_campaign: 'Spring & more' })
  const [log] = post.Postlogs as unknown as { Id: string; LinkId: string; LinkIds: string[] }[]
  expect([...(log?.LinkIds ?? [])].sort()).toEqual(links.map(({ id }) => id).sort())
  expect(log?.LinkId).toBe(log?.LinkIds[0])
  const shown = (await publishing.reader(`GET /link/${links[0]?.hash}`)).json.Link
  expect(shown).toMatchObject({
    LongUrl: 'https://example.com/a?x=1#top',
    FinalUrl: 'https://example.com/a?x=1&utm_source=linkedin&utm_medium=social&utm_campaign=Spring%20%26%20more#top',
    ShortUrl: a,
  })
  const { json } = await publishing.reader('GET /link', { query: `ids=${links.map(({ id }) => id)}` })
  for (const link of json.Items)
    expect(link).toMatchObject({
      PostId: Id,
      PostlogId: log?.Id,
      CampaignId: campaignId,
      CredentialId: profiles.linkedInPage,
    })
})

test('each profile and the first comment have their own links', async () => {
  const [about, below] = [words('Two profiles'), words('Below')]
  const { Id } = await publishing.post(
    'LinkedIn',
    `${profiles.linkedInPage},${profiles.linkedInMember}`,
    { message: `${about} https://example.com/both` },
    { firstComment: { text: `${below} https://example.com/below https://example.com/both` } },
  )
  await publishing.settled(Id)
  await expect.poll(async () => (await publishing.read(Id)).FirstComment?.Status).toBe('published')
  const links = await linksOf(Id)
  expect(links.map(({ original_url }) => original_url)).toEqual([
    'https://example.com/below',
    'https://example.com/both',
    'https://example.com/below',
    'https://example.com/both',
  ])
  expect(new Set(links.map(({ hash }) => hash)).size).toBe(4)
  const texts = (await publishing.published(about)).map(({ text }) => text)
  expect(new Set(texts).size).toBe(2)
  const comments = (await publishing.published(below)).map(({ text }) => text)
  expect(comments.length).toBe(2)
  for (const text of comments) {
    const hashes = links.filter(({ hash }) => text.includes(`${base}/${hash}`)).map(({ original_url }) => original_url)
    expect(hashes).toEqual(['https://example.com/below', 'https://example.com/both'])
    expect(text).not.toContain('example.com')
  }
  const logs = (await publishing.read(Id)).Postlogs as unknown as { CredentialId: string; LinkIds: string[] }[]
  for (const { CredentialId, LinkIds } of logs)
    expect([...LinkIds].sort()).toEqual(
      links
        .filter((link) => link.credential_id === CredentialId)
        .map(({ id }) => id)
        .sort(),
    )
  expect(logs.map(({ LinkIds }) => LinkIds.length)).toEqual([2, 2])
})

test('a link attachment uses a short link, also on X, which shows it in the text', async () => {
  const about = words('Attached')
  const link = {
    linkUrl: 'https://example.com/attached',
    linkTitle: 'A',
    description: 'B',
    imageUrl: 'https://example.com/a.png',
  }
  const { Id } = await publishing.post('Twitter', profiles.x, { message: about, ...link })
  await publishing.settled(Id)
  const [made, ...more] = await linksOf(Id)
  expect([made?.original_url, more]).toEqual(['https://example.com/attached', []])
  expect((await publishing.published(about))[0]?.text).toBe(`${about}\n${base}/${made?.hash}`)
})

test('a lost response is confirmed by the text with the same links', async () => {
  const about = words('Lost')
  await publishing.sandbox.control('/fault', { network: 'Facebook', operation: 'publish', fault: 'lost-answer' })
  const { Id } = await publishing.post('Facebook', profiles.facebook, { message: `${about} https://example.com/lost` })
  expect((await publishing.settled(Id)).Status).toBe('complete')
  const [link, ...more] = await linksOf(Id)
  expect(more).toEqual([])
  expect((await publishing.published(about)).map(({ text }) => text)).toEqual([`${about} ${base}/${link?.hash}`])
})

test('a retry uses the links of the first attempt', async () => {
  const about = words('Again')
  await publishing.sandbox.control('/fault', { network: 'Twitter', operation: 'publish', fault: 'server-error' })
  const { Id } = await publishing.post('Twitter', profiles.x, { message: `${about} https://example.com/again` })
  await expect.poll(async () => (await linksOf(Id)).length).toBe(1)
  const [first] = await linksOf(Id)
  expect((await publishing.settled(Id)).Status).toBe('complete')
  expect((await publishing.sends(Id))[0]?.attempts).toBe(2)
  expect(await linksOf(Id)).toMatchObject([{ id: first?.id, hash: first?.hash }])
  expect((await publishing.published(about)).map(({ text }) => text)).toEqual([`${about} ${base}/${first?.hash}`])
})

test('concurrent requests for the same links get the same ones', async () => {
  const about = words('Same')
  const { Id, MessageId } = await publishing.post(
    'Facebook',
    profiles.facebook,
    { message: about },
    { startDateTime: 1_900_000_000 },
  )
  const database = openPatientDatabase({ url: publishing.databaseUrl, connections: 8 })
  const target = {
    postId: Id,
    messageId: MessageId,
    campaignId: '002demo00000001',
    credentialId: profiles.facebook,
    network: 'Facebook',
  }
  const urls = Array.from({ length: 20 }, (_, index) => `https://example.com/same/${index}`)
  const made = await Promise.all(
    Array.from({ length: 16 }, () =>
      makeLinks(database.forAccount(demoAccount), demoAccount, new Date(), [{ place: target, urls, longest: 300 }]),
    ),
  )
  await database.close()
  const all = new Set(made.map(([links]) => JSON.stringify([...(links ?? [])].sort())))
  expect([all.size, made[0]?.[0]?.size]).toEqual([1, 20])
  expect((await linksOf(Id)).length).toBe(20)
  const named = await ownerQuery(
    publishing.databaseUrl,
    'select from link_hashes h join links l on l.hash = h.hash and l.id = h.link where l.post_id = $1',
    [Id],
  )
  expect(named.length).toBe(20)
})

test('links use the account’s domain unless the text would become too long', async () => {
  const host = `${'long-'.repeat(11)}name.example`
  await ownerQuery(
    publishing.databaseUrl,
    `with made as (insert into cnames (account_id, id, created, modified, created_by, name, checked)
      values ($1, '0CNexample00001', now(), now(), '', $2, now()))
    insert into short_hosts (host, account, cname) values ($2, $1, '0CNexample00001')`,
    [demoAccount, host],
  )
  await publishing.admin('POST /app/api/link-settings', { body: { cnameId: '0CNexample00001' } })
  const [about, full] = [words('Domain'), words('Tight')]
  const longUrl = `https://example.com/${'y'.repeat(30)}`
  const first = await publishing.post('LinkedIn', profiles.linkedInPage, {
    message: `${about} ${longUrl} https://${host}/abcdefgh`,
  })
  const tight = `${full} ${'x'.repeat(3000 - full.length - longUrl.length - 2)} ${longUrl}`
  const second = await publishing.post('LinkedIn', profiles.linkedInPage, { message: tight })
  await Promise.all([publishing.settled(first.Id), publishing.settled(second.Id)])
  await publishing.admin('POST /app/api/link-settings', { body: { cnameId: '' } })
  const [one] = await linksOf(first.Id)
  const [other] = await linksOf(second.Id)
  expect((await publishing.published(about))[0]?.text).toBe(
    `${about} https://${host}/${one?.hash} https://${host}/abcdefgh`,
  )
  expect((await publishing.published(full))[0]?.text).toBe(tight.replace(longUrl, `${base}/${other?.hash}`))
})

test.each([
  ['the service’s own', (own: string) => [`${own}/l/abcdefgh`, `${own}/page`, `${base}/abcdefgh`]],
  [
    'what no short link may lead to',
    () => ['https://ada:secret@example.com/', `https://example.com/${'x'.repeat(2050)}`],
  ],
])('%s stays as it is', async (_, urls) => {
  const about = words('Stays')
  const message = [about, ...urls(publishing.url)].join(' ')
  const { Id } = await publishing.post('Facebook', profiles.facebook, { message })
  expect((await publishing.settled(Id)).Status).toBe('complete')
  expect(await linksOf(Id)).toEqual([])
  expect((await publishing.published(about))[0]?.text).toBe(message)
})

test('a text that short links would make too long keeps its URLs', async () => {
  const about = words('Full')
  const short = 'https://a.example/1'
  // LinkedIn allows 3,000 characters.
  const message = `${about} ${'x'.repeat(3000 - about.length - short.length - 2)} ${short}`
  expect(message.length).toBe(3000)
  const { Id } = await publishing.post('LinkedIn', profiles.linkedInPage, { message })
  const post = await publishing.settled(Id)
  expect(post.Status, JSON.stringify(post)).toBe('complete')
  expect(await linksOf(Id)).toEqual([])
  expect((await publishing.published(about))[0]?.text).toBe(message)
})

test('account and campaign settings determine the UTM parameters, each once', async () => {
  const campaignId = await publishing.campaign('Settings')
  const account = { utmSource: 'chorus', utmMedium: '', utmContent: 'all' }
  expect((await publishing.admin('POST /app/api/link-settings', { body: account })).status).toBe(200)
  const own = { utmContent: 'own', utmTerm: 'pack' }
  expect((await publishing.publisher(`POST /app/api/campaign/${campaignId}/link-settings`, { body: own })).status).toBe(
    200,
  )
  const about = words('Settings')
  const { Id } = await publishing.post('Facebook', profiles.facebook, {
    message: `${about} https://example.com/?utm_source=mine`,
    campaignId,
  })
  await publishing.settled(Id)
  await publishing.admin('POST /app/api/link-settings', { body: { inherit: 'utmSource,utmMedium,utmContent' } })
  const [link] = await linksOf(Id)
  expect(link?.params).toEqual({ utm_source: 'chorus', utm_campaign: 'Settings', utm_content: 'own', utm_term: 'pack' })
  expect((await publishing.reader(`GET /link/${link?.hash}`)).json.Link).toMatchObject({
    Params: { utm_source: 'mine', utm_campaign: 'Settings', utm_content: 'own', utm_term: 'pack' },
  })
})
