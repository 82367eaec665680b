import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { authorOf, factsOf } from '../click/click-facts.ts'
import type { LinkTarget } from '../link/link-create.ts'
import { linksIn } from '../link/text-links.ts'
import { openChance, visitorOf } from './clicks.demo.ts'

export interface DemoShareLink {
  place: LinkTarget
  text: string
  created: Date
}

const hour = 60 * 60 * 1000
const visitors = 2500

/** Short links of shares and their clicks, as created by publishing and counting. */
export async function seedShareLinks(context: Context, shares: readonly DemoShareLink[]) {
  const { db, accountId, now } = context
  const chance = openChance(7)
  const links = shares.flatMap(({ place, text, created }) => {
    const url = linksIn(text)[0]?.url
    return url ? [{ place, url, created }] : []
  })
  const rows = links.map(({ place: { share, ...place }, url, created }, index) => {
    const number = String(index + 1)
    const about = { id: `008demo1${number.padStart(7, '0')}`, hash: `shar${number.padStart(4, '0')}` }
    const params = JSON.stringify({ utm_source: place.network.toLowerCase(), utm_medium: 'social' })
    const leads = { originalUrl: url, longUrl: url, params, countsFor: JSON.stringify(share?.countsFor ?? {}) }
    return { accountId, ...about, created, modified: created, ...place, ...leads, shareId: share?.id ?? '' }
  })
  await db.insertInto('links').values(rows).execute()
  await db
    .insertInto('linkHashes')
    .values(rows.map(({ hash, id: link, longUrl, params }) => ({ hash, account: accountId, link, longUrl, params })))
    .execute()
  const clicks = rows
    .flatMap((row, index) =>
      Array.from({ length: chance.whole(9) }, (_, number) => ({
        row,
        countsFor: links[index]?.place.share?.countsFor ?? {},
        visitor: visitorOf(chance.whole(visitors)),
        at: new Date(row.created.getTime() + (number + chance.next()) * 5 * hour),
      })),
    )
    .filter(({ at }) => at < now)
  await db
    .insertInto('clicks')
    .values(
      clicks.map(({ row, at, visitor }, index) => ({
        accountId,
        id: `009demo1${String(index + 1).padStart(7, '0')}`,
        created: at,
        linkId: row.id,
        campaignId: row.campaignId,
        messageId: row.messageId,
        postId: '',
        credentialId: row.credentialId,
        network: row.network,
        class: 'human' as const,
        reason: '',
        ...visitor,
      })),
    )
    .execute()
  await addFacts(
    context,
    clicks.flatMap(({ row, at, countsFor, visitor }) =>
      factsOf('clicks', at, {
        ...row,
        linkId: row.id,
        country: visitor.country,
        author: authorOf(undefined, countsFor),
        isBoard: true,
        countsFor,
      }),
    ),
  )
}
