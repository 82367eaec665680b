import type { Statement } from '#kernel/database/statement/statement.ts'
import { bundled, byAccount, type Click } from '../../click/click-bundle.ts'

const text = 'insert into click_bundles (account, at, size, clicks) values ($1, to_timestamp($2), $3, $4)'

/** One row for each account; written together, all or none. */
export const insertClicks = (clicks: readonly Click[]): Statement[] =>
  Array.from(byAccount(clicks), ([account, own]) => ({
    text,
    values: [account, String((own[0]?.at ?? 0) / 1000), String(own.length), bundled(own)],
  }))
