import { newId } from '#kernel/ids.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { until } from '../../../../tests/support/publishing.ts'
import { demoAccount } from '../../../../tests/support/service.ts'
import { linkIds } from '../declarations.ts'
import { insertClicks } from '../redirect/click-intake.ts'
import { aboutOf } from './click-bundle.ts'

interface NewClick {
  link: string
  account?: string
  click?: string
  at?: Date
  class?: string
  reason?: string
  visitor?: string
  address?: string
  userAgent?: string
}

let numbered = 0

/** Helpers for click tests. */
export function clicking(databaseUrl: string) {
  const query = <Row extends object>(text: string, values: unknown[] = []) => ownerQuery<Row>(databaseUrl, text, values)

  /** A link of a sent post; each from another postlog by default. */
  const link = async ({ shareId = '', campaignId }: { shareId?: string; campaignId?: string } = {}) => {
    const number = numbered++
    const id = `008c${String(number).padStart(11, '0')}`
    const hash = `c${String(number).padStart(7, '0')}`
    const [row] = await query<{ campaign: string; message: string; post: string; credential: string }>(
      `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, post_id, credential_id,
        network, share_id, original_url, long_url)
      select account_id, $2, '2026-01-01', '2026-01-01', $3, coalesce($4, campaign_id), message_id, case when $5 = '' then post_id else '' end,
        credential_id, network, $5, 'https://example.com/' || $2, 'https://example.com/' || $2
      from postlogs where account_id = $1 and status = 'success' order by id offset $6 % 3 limit 1
      returning campaign_id as campaign, message_id as message, post_id as post, credential_id as credential`,
      [demoAccount, id, hash, campaignId ?? null, shareId, number],
    )
    if (!row) throw new Error('The demo has no postlog to make a link of.')
    await query('insert into link_hashes (hash, account, link, long_url) values ($1, $2, $3, $4)', [
      hash,
      demoAccount,
      id,
      `https://example.com/${id}`,
    ])
    const [log] = await query<{ id: string }>(
      'select id from postlogs where account_id = $1 and post_id = $2 and credential_id = $3',
      [demoAccount, row.post, row.credential],
    )
    return { id, hash, ...row, postlog: log?.id ?? '' }
  }
  /** Stores clicks in the given order; returns their ids. */
  const store = async (...clicks: NewClick[]) => {
    const now = new Date()
    const rows = clicks.map((click) => ({
      account: demoAccount,
      at: now,
      class: 'human',
      reason: '',
      visitor: `visitor-${numbered++}`,
      address: '127.0.0.1',
      userAgent: 'Firefox',
      click: newId(linkIds.click, click.at ?? now),
      ...click,
    }))
    const written = rows.map(({ click: id, at, ...row }) => ({ ...row, id, at: at.getTime(), about: aboutOf(row) }))
    for (const { text, values } of insertClicks(written)) await query(text, [...values])
    return rows.map(({ click }) => click)
  }
  const counter = async (kind: string, id: string, name: string) => {
    const text = 'select value::int from counters where of_kind = $1 and of_id = $2 and name = $3'
    return (await query<{ value: number }>(text, [kind, id, name]))[0]?.value ?? 0
  }
  return {
    query,
    link,
    store,
    /** Waits until all clicks are counted. */
    counted: (patience = 20_000) =>
      until(async () => (await query('select from click_batches limit 1')).length === 0, patience),
    classes: async (linkId: string) =>
      (
        await query<{ class: string }>('select class from clicks where link_id = $1 order by created, id', [linkId])
      ).map((row) => row.class),
    clicksOf: (linkId: string) => counter('link', linkId, 'clicks'),
    counter,
  }
}

/** One metric of everything that a demo link `l` counts for, as columns. */
export const metricColumns = (name: string) =>
  [
    ['link', 'l.id'],
    ['profile-post', `l.post_id || ' ' || l.credential_id`],
    ['post', 'l.post_id'],
    ['message', 'l.message_id'],
    ['campaign', 'l.campaign_id'],
  ]
    .map(
      ([kind, id]) =>
        `coalesce((select value::int from counters where account_id = '${demoAccount}' and of_kind = '${kind}' and of_id = ${id} and name = '${name}'), 0) as "${kind}"`,
    )
    .join(', ')
