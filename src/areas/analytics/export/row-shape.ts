import { Advocate } from '#areas/advocacy/advocate/advocate-shape.ts'
import { Conversation } from '#areas/inbox/item/item-shape.ts'
import { Click } from '#areas/links/click/click-shape.ts'
import { Link } from '#areas/links/link/link-shape.ts'
import { Campaign } from '#areas/publishing/campaign/campaign-shape.ts'
import { Post } from '#areas/publishing/post/post-shape.ts'
import type { CsvCell } from '#kernel/csv.ts'
import { boolean, datetime, integer, nullableText, type Shape, shape, text, wireForm } from '#kernel/wire/fields.ts'
import type { ExportType } from './row-sources.ts'

interface Columns {
  readonly names: readonly string[]
  /** Cells of one row, in the order of the names. */
  readonly cellsOf: (row: object) => CsvCell[]
}

interface Choice {
  /** Omitted columns. */
  without?: readonly string[]
  /** Columns without a name in the contract. */
  and?: Shape<never>
}

/** Fields of every row, as named in the contract; lists and objects don't fit a cell. */
function columnsOf(whole: Shape<never>, { without = [], and }: Choice = {}): Columns {
  const parts = [whole, ...(and ? [and] : [])].map((one) => {
    const names = (one.schema.required as string[]).filter((name) => !without.includes(name))
    const fields = one as Shape<object, { [name: string]: CsvCell }>
    return { names, form: wireForm(fields) }
  })
  return {
    names: parts.flatMap(({ names }) => names),
    cellsOf: (row) =>
      parts.flatMap(({ names, form }) => {
        const wire = form(row)
        return names.map((name) => wire[name] ?? null)
      }),
  }
}

const Lead = shape(undefined, {
  Id: text,
  Created: datetime,
  ParentId: nullableText,
  AccountId: text,
  Type: text,
  Email: text,
  Name: text,
  FirstName: text,
  LastName: text,
  Photo: text,
  Phone: nullableText,
  IsTracked: boolean,
  Profiles: text,
})

const AboutPost = shape(undefined, { Message: text, CampaignName: text })
const AboutAdvocate = shape(undefined, { Shares: integer, Clicks: integer })
const AboutItem = shape(undefined, { PersonName: text, Text: text, Url: text, LastActivity: datetime })

export const columns: { readonly [type in ExportType]: Columns } = {
  Posts: columnsOf(Post, { and: AboutPost }),
  Clicks: columnsOf(Click),
  Conversions: columnsOf(Click),
  Links: columnsOf(Link),
  Campaigns: columnsOf(Campaign, { without: ['ShortUrl'] }),
  Advocates: columnsOf(Advocate, { without: ['Profiles', 'BoardIds'], and: AboutAdvocate }),
  Leads: columnsOf(Lead),
  Inbox: columnsOf(Conversation, { and: AboutItem }),
}
