import fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { freshDatabase } from '../../../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../../tests/support/database/patient-database.ts'
import { finalUrl } from '../../link/link-url.ts'
import { cachedLink, openLinkMap } from './link-map.ts'

let home: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
beforeAll(async () => {
  home = await freshDatabase()
  database = openPatientDatabase({ url: home.url, connections: 4 })
  const links = Array.from(
    { length: 5_000 },
    (_, number) => `('${hashOf(number)}', '001', '008', 'https://old.example/')`,
  )
  await ownerQuery(home.url, `insert into link_hashes (hash, account, link, long_url) values ${links}`)
})
afterAll(async () => {
  await database.close()
  await home.drop()
})

const hashOf = (number: number) => `P${String(number).padStart(7, '0')}`

/** Receives announcements from the test only. */
function openMap() {
  let notify: (payload: string | undefined) => void = () => {}
  const listener: Listener = {
    async on(_, listener) {
      notify = listener
    },
    deliver: () => {},
    close: async () => {},
  }
  const report = (error: unknown) => {
    throw error
  }
  const links = openLinkMap({ database, listener, report, skipLink: report, checkEvery: 100 })
  onTestFinished(links.close)
  return { links, notify: (payload?: string) => notify(payload) }
}

const change = (hash: string, url: string) =>
  ownerQuery(home.url, 'update link_hashes set long_url = $2, changed = now() where hash = $1', [hash, url])

test('all links are preloaded and found without a query', async () => {
  const { links } = openMap()
  await expect.poll(links.count).toBe(5_000)
  // The account is cached after the first.
  await links.find(hashOf(0))
  expect(links.find(hashOf(4_999))).toMatchObject({ location: 'https://old.example/', disabled: false })
  expect(await links.find('NotThere')).toBeUndefined()
})

test('a missed change is found by polling', async () => {
  const { links } = openMap()
  await expect.poll(links.count).toBe(5_000)
  await change(hashOf(7), 'https://new.example/')
  await expect.poll(async () => (await links.find(hashOf(7)))?.location).toBe('https://new.example/')
})

test('a concurrent change is not overwritten by an older read', async () => {
  const { links, notify } = openMap()
  const hash = 'NewOne01'
  await ownerQuery(
    home.url,
    `insert into link_hashes (hash, account, link, long_url) values ($1, '001', '008', 'https://old.example/')`,
    [hash],
  )
  const before = links.find(hash)
  // Queried at the end of the event loop turn.
  await new Promise((resolve) => setImmediate(resolve))
  notify(hash)
  expect(links.find(hash)).not.toBe(before)
  await change(hash, 'https://new.example/')
  notify(hash)
  expect((await links.find(hash))?.location).toBe('https://new.example/')
  await before
  expect((await links.find(hash))?.location).toBe('https://new.example/')
})

const locationOf = (longUrl: string, params: Record<string, string>) =>
  cachedLink({ account: '001', link: '008', hash: 'x', longUrl, params: JSON.stringify(params), disabled: false })
    .location

test('the fast and the slow computation of a destination agree', () => {
  const part = fc.stringMatching(/^[\w.~%-]{0,6}$/)
  const url = fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.constantFrom('a.example', 'x-1.co', '127.0.0.1', 'B.example', '1.2', 'a.b.', 'xn--a.example'),
      fc.array(part, { maxLength: 4 }),
      fc.constantFrom('', '/', '?a=1', '#b'),
    )
    .map(([scheme, host, path, tail]) => `${scheme}://${host}${path.map((one) => `/${one}`).join('')}${tail}`)
    .filter(isUrl)
  const params = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string({ maxLength: 8 }))
  fc.assert(
    fc.property(url, params, (longUrl, added) => {
      expect(locationOf(longUrl, added)).toBe(finalUrl(longUrl, added))
    }),
    { numRuns: 2_000 },
  )
})

function isUrl(text: string): boolean {
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}
