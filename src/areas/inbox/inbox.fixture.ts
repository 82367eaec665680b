import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type PlacedEntry, type PlacedItem, placeEntry, placeItem } from '../../../tests/support/inbox.ts'
import type { TestService } from '../../../tests/support/service.ts'

/** Queries shared by inbox tests. */
export function inboxOf({ databaseUrl }: Pick<TestService, 'databaseUrl'>) {
  return {
    item: (given: PlacedItem = {}) => placeItem(databaseUrl, given),
    entry: (given: PlacedEntry) => placeEntry(databaseUrl, given),
    async row(id: string) {
      const text = 'select status, assignee_id, modified from inbox_items where id = $1'
      const [row] = await ownerQuery<{ status: string; assignee_id: string; modified: Date }>(databaseUrl, text, [id])
      return row
    },
    /** The timeline, oldest first. */
    entries: (id: string) =>
      ownerQuery<{ id: string; type: string; content: string; details: Record<string, unknown>; created_by: string }>(
        databaseUrl,
        `select id, type, content, details, created_by, remote_id, parent_remote_id, reply_id, media, url, is_own from inbox_entries
        where item_id = $1 order by created, id`,
        [id],
      ),
    /** Events about these items, sorted by type, with their elements. */
    async events(...ids: string[]) {
      const rows = await ownerQuery<{ type: string; data: string }>(
        databaseUrl,
        'select type, data::text as data from events order by id',
      )
      const keys = ids.map((id) => `eitm${id.slice(3)}`)
      return rows
        .filter(({ data }) => keys.some((key) => data.includes(key)))
        .map(({ type, data }) => ({ type, data: JSON.parse(data) }))
    },
    /** Queued emails about an item. */
    emails: (about: string) =>
      ownerQuery<{ to: string; subject: string; text: string }>(
        databaseUrl,
        `select payload ->> 'to' as to, payload ->> 'subject' as subject, payload ->> 'text' as text from jobs
        where queue = 'mail' and payload ->> 'text' like '%' || $1 || '%' order by id`,
        [about],
      ),
    /** Item counters that differ from a recount. */
    wrongCounts: () =>
      ownerQuery(
        databaseUrl,
        `select * from (select account_id, credential_id, network, item_type, status, assignee_id, count(*)::int as items
          from inbox_items group by 1, 2, 3, 4, 5, 6) rows
        full join (select * from inbox_item_counts where items <> 0) kept
          using (account_id, credential_id, network, item_type, status, assignee_id)
        where rows.items is distinct from kept.items`,
      ),
  }
}
