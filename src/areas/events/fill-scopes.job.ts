import { sql } from 'kysely'
import type { Context, Scopes } from '#kernel/context.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { scopesOf } from './event.ts'

/**
 * Adds scopes to events stored before scopes existed, derived from the ids in their data. Started once by a migration: events emitted since
 * then state their scopes, and nothing else derives visibility from the data.
 */
const fillScopes = { name: 'events.fill-scopes', queue: 'housekeeping' } as const

/** Empty for the first job, which starts one for each account. */
interface Filling {
  accountId?: string
  /** The last event processed. */
  from?: string
}

const batchSize = 1_000
/** Milliseconds after which a job continues in a new one, so that a long history does not delay other work. */
const timeSlice = 30_000

export const fillScopesJob = job<Filling>(fillScopes.name, {
  ...fillScopes,
  timeout: 600_000,
  async run(context, { accountId, from = '' }) {
    const { transaction, complete, signal } = context
    if (accountId === undefined)
      return forEachAccount(context, (id) =>
        transaction(id, (inside) => enqueue(inside, fillScopes, { accountId: id }, { key: 'account' })),
      )
    const until = performance.now() + timeSlice
    let next: string | undefined = from
    while (next !== undefined && !signal.aborted && performance.now() < until) {
      const at: string = next
      next = await transaction(accountId, (inside) => fillBatch(inside, at))
    }
    const rest = next
    await complete(accountId, async (inside) => {
      if (rest !== undefined) await enqueue(inside, fillScopes, { accountId, from: rest }, { key: 'account' })
    })
  },
})

/** Returns the last event of the batch; undefined after the last batch. */
async function fillBatch(context: Context, from: string): Promise<string | undefined> {
  const { db, accountId } = context
  // The database scans the data, so that memory use does not depend on its size.
  const { rows: events } = await sql<{ id: string; ids: string[] }>`
    select e.id, array(select found[1] from regexp_matches(e.data, ${idPattern}, 'g') as found) as ids
    from events e where e.account_id = ${accountId} and e.id > ${from} and e.scopes is null
    order by e.id limit ${batchSize}`.execute(db)
  const owners = await ownersOf(context, [...new Set(events.flatMap(({ ids }) => ids))])
  const known = events.flatMap(({ id, ids }) => {
    const scopes = scopesKnownOf(ids, owners)
    return scopes ? [{ id, scopes: scopes.join(',') }] : []
  })
  await sql`
    update events e set scopes = string_to_array(k.scopes, ',')
    from unnest(${known.map(({ id }) => id)}::text[], ${known.map(({ scopes }) => scopes)}::text[]) as k (id, scopes)
    where e.account_id = ${accountId} and e.id = k.id`.execute(db)
  return events.length < batchSize ? undefined : events.at(-1)?.id
}

const prefixOf = (id: string) => id.slice(0, 3)
/** Campaigns, boards and workflows, as referenced in stored events. */
const scopePrefixes = new Set(['002', 'brd', 'cwf'])
/** Posts, postlogs, messages, stories, topics and workflow items. */
const ownedPrefixes = new Set(['004', '007', '005', '0AS', 'tpc', 'cwi'])

/** Matches an id of one of these kinds in the JSON. */
const idPattern = `"((?:${[...scopePrefixes, ...ownedPrefixes].join('|')})[0-9A-Za-z]{12})"`

/**
 * The scopes of an event that mentions these ids. A deleted entity belonged to the campaign or board mentioned with it; without one its
 * scope is unknown.
 */
function scopesKnownOf(ids: readonly string[], owners: ReadonlyMap<string, Scopes>): Scopes | undefined {
  const scopes = scopesOf(...ids.flatMap((id) => (scopePrefixes.has(prefixOf(id)) ? id : (owners.get(id) ?? []))))
  const isWhole = ids.every((id) => scopePrefixes.has(prefixOf(id)) || owners.has(id))
  const hasPlace = scopes.some((id) => prefixOf(id) === '002' || prefixOf(id) === 'brd')
  return isWhole || hasPlace ? scopes : undefined
}

/** The campaigns, boards and workflows of entities that still exist. */
async function ownersOf({ db, accountId }: Context, mentioned: readonly string[]): Promise<Map<string, Scopes>> {
  const ids = mentioned.filter((id) => ownedPrefixes.has(prefixOf(id)))
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; scopes: string[] }>`
    select id, array[campaign_id] as scopes from posts where account_id = ${accountId} and id = any (${ids})
    union all select id, array[campaign_id] from postlogs where account_id = ${accountId} and id = any (${ids})
    union all select id, array[campaign_id] from messages where account_id = ${accountId} and id = any (${ids})
    union all select id, array[board_id, campaign_id] from stories where account_id = ${accountId} and id = any (${ids})
    union all select id, array[board_id] from topics where account_id = ${accountId} and id = any (${ids})
    union all select id, array[scope_id, workflow_id] from workflow_items where account_id = ${accountId} and id = any (${ids})`.execute(
    db,
  )
  return new Map(rows.map(({ id, scopes }) => [id, scopes]))
}
