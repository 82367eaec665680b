import { emailAdmins } from '#areas/profiles/access/invalid-profile.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { Refusal } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { bind, type Domain, pointingProblem, unbind } from './cname.ts'

export const checkDomains = { name: 'links.check-domains', queue: 'housekeeping' } as const

/** Concurrent DNS lookups. */
const concurrency = 8

/** Checks daily whether custom domains still point here: another party could take over one that doesn't. */
export const checkDomainsJob = ({ outbound, shortUrl }: Installation): Job<Record<string, never>> =>
  job(checkDomains.name, {
    ...checkDomains,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, async (accountId) => {
        const check = async (domain: Domain) => {
          const problem = await problemOf({ outbound, shortUrl: shortUrl() }, domain)
          if (problem !== undefined)
            await context.transaction(accountId, (inside) => recordCheck(inside, domain, problem))
        }
        const domains = await context.transaction(accountId, domainsOf)
        const failures: unknown[] = []
        for (let from = 0; from < domains.length && !context.signal.aborted; from += concurrency) {
          const checks = await Promise.allSettled(domains.slice(from, from + concurrency).map(check))
          for (const result of checks) if (result.status === 'rejected') failures.push(result.reason)
        }
        if (failures.length > 0) throw failures[0]
      }),
  })

/** Least recently checked first. */
const domainsOf = ({ db, accountId }: Context): Promise<Domain[]> =>
  db
    .selectFrom('cnames')
    .select(['id', 'name'])
    .where('accountId', '=', accountId)
    .orderBy('checked')
    .orderBy('id')
    .execute()

/** Empty if there is none; undefined if DNS fails, which is no reason to stop serving a domain. */
async function problemOf(
  options: Parameters<typeof pointingProblem>[0],
  { name }: Domain,
): Promise<string | undefined> {
  try {
    return (await pointingProblem(options, name)) ?? ''
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'unavailable') return undefined
    throw error
  }
}

/** The first failed check may be a temporary change of records; the second disables the domain. */
async function recordCheck(context: Context, { id, name }: Domain, problem: string) {
  const { db, accountId, now } = context
  const before = await db
    .selectFrom('cnames')
    .select(['id', 'name', 'problem'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    // The domain may have been replaced meanwhile.
    .where('name', '=', name)
    .modifyEnd(lockRows('cnames', 'update'))
    .executeTakeFirst()
  if (!before) return
  const isBound = problem === '' && (await bind(context, before))
  const found = isBound ? '' : problem || `${name} is in use by another account of this service.`
  await db
    .updateTable('cnames')
    .set({ checked: now, problem: found })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  if (problem === '' || before.problem === '' || !(await unbind(context, before))) return
  await emailAdmins(context, `Short links under ${name} are no longer served`, notice(before, problem))
}

const notice = ({ id, name }: Domain, problem: string) =>
  `The domain ${name} (${id}) does not point at this Chorus installation any more, so short links under it are not answered.

${problem}

Once it points here again, links under it are served again within a day, or at once when any admin saves the domain again. If you gave the
domain up, remove it from the account.
`
