import { sql } from 'kysely'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import { moveLead } from './conversion.ts'

/** Clicks and conversions with an email address; they stay counted without a lead. */
export const conversionsPersonalData: PersonalDataLocation = {
  name: 'clicks',
  collect({ db, accountId }, { leadId }, most) {
    const clicks = db
      .selectFrom('clicks')
      .leftJoin('conversions', (join) =>
        join.onRef('conversions.clickId', '=', 'clicks.id').on('conversions.accountId', '=', accountId),
      )
      .select(['clicks.id', 'clicks.created', 'clicks.linkId', 'clicks.network', 'clicks.userAgent'])
      .select(['clicks.country', 'clicks.city', 'clicks.organization'])
      .select(['conversions.conversionTagId', 'conversions.created as converted'])
      .select(['conversions.email', 'conversions.value'])
      .where('clicks.accountId', '=', accountId)
      .where('clicks.leadId', '=', leadId)
      .where('clicks.leadId', '<>', sql.lit(''))
      .where('clicks.class', '=', sql.lit('human'))
      .orderBy('clicks.id', 'desc')
    return listedWithTotal(db, clicks.limit(most), { size: 500, id: 'clicks.id' })
  },
  async forget(context, { leadId, emails }) {
    const { db, accountId } = context
    for (const [column, values] of [
      ['leadId', [leadId]],
      ['email', emails],
    ] as const)
      if (values.length > 0)
        await db
          .updateTable('conversions')
          .set({ email: '' })
          .where('accountId', '=', accountId)
          .where(column, 'in', values)
          // Literal, to match the partial indexes.
          .where(column, '<>', sql.lit(''))
          .execute()
    await moveLead(context, leadId, '')
    return undefined
  },
}
