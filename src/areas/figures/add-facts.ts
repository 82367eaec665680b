import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { byAccount, forgetGathered, type LastStep, lastly } from '#kernel/database/lastly.ts'
import { type FigureName, type FigureOf, hasQuarters, hasTotal, isDaily } from './figure.ts'
import { added, type Sum, writeSums } from './write-sums.ts'

/** Something that happened, and everything it counts for; an empty id is nothing. */
export interface Fact {
  name: FigureName
  at: Date
  of: { readonly [kind in FigureOf]?: string }
  /** One unless told; less than nothing takes back. */
  amount?: number
}

/** A quarter of an hour, in milliseconds: no zone's clock is off by less. */
export const quarter = 15 * 60 * 1000

/**
 * Adds facts to every figure that tells of them, at the end of the transaction that records the facts. Nobody else writes figures. Whoever
 * counts for the same things waits until it is committed.
 */
export const addFacts = ({ db, accountId }: Pick<Context, 'db' | 'accountId'>, facts: readonly Fact[]) =>
  lastly(
    db,
    adding,
    facts.map((fact) => ({ ...fact, accountId })),
  )

const adding: LastStep<Fact & { accountId: string }> = {
  writes: 'figures',
  async write(db, facts) {
    for (const [accountId, own] of byAccount(facts)) await add(db, accountId, own)
  },
}

/** Leaves out facts of this transaction that are about to be found by a recount of everything. */
export function leaveToRecount({ db }: Pick<Context, 'db'>, names: ReadonlySet<FigureName>) {
  forgetGathered(db, adding, ({ name }) => names.has(name))
}

async function add(db: Db, accountId: string, facts: readonly Fact[]) {
  const daily = facts.filter(({ name }) => isDaily(name))
  await writeSums(db, accountId, {
    totals: sumsOf(facts, hasTotal, () => ''),
    days: sumsOf(
      daily,
      () => true,
      ({ at }) => at.toISOString().slice(0, 10),
    ),
    quarters: sumsOf(daily, hasQuarters, ({ at }) =>
      new Date(Math.floor(at.getTime() / quarter) * quarter).toISOString(),
    ),
  })
}

/** What facts come to, of each thing once. */
function sumsOf(facts: readonly Fact[], isKept: (kind: FigureOf) => boolean, timeOf: (fact: Fact) => string): Sum[] {
  return added(
    facts.flatMap((fact) =>
      (Object.entries(fact.of) as [FigureOf, string][])
        .filter(([kind, id]) => id && isKept(kind))
        .map(([kind, id]) => ({
          ...{ kind, id, name: fact.name, time: timeOf(fact) },
          ...{ value: fact.amount ?? 1, last: fact.at },
        })),
    ),
  ).filter(({ value }) => value !== 0)
}
