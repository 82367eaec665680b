import { type Call, Refusal, type Route } from '../http/call.ts'
import { day, hour } from '../state/clock.ts'
import { deathOf, grantOf } from '../state/grants.ts'
import type { Profile } from '../state/rows.ts'
import { refuse, unauthorized, youtubeAnswers } from './refusals.ts'

const scopePrefix = 'https://www.googleapis.com/auth/'

function bearer(call: Call): string | undefined {
  return /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
}

/** The channel behind the token; any of the scopes is enough. */
export function channel(call: Call, ...anyScope: string[]): Profile {
  const grant = grantOf(call.world, 'YouTube', bearer(call))
  const profile = grant && call.world.profile('YouTube', grant.profile ?? grant.account)
  if (!grant || !profile || deathOf(call.world, grant)) throw new Refusal(unauthorized)
  if (anyScope.length && !anyScope.some((scope) => grant.scopes.includes(scopePrefix + scope))) {
    refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', 'global')
  }
  return profile
}

/** An upload session belongs to its channel even when the token does not come with the bytes. */
export const profileOf = (call: Call) => {
  const grant = grantOf(call.world, 'YouTube', bearer(call))
  return grant?.profile ?? grant?.account ?? call.world.uploads.get(call.query.get('upload_id') ?? '')?.profile
}

/** Calls cost units of the project's day, which ends at midnight in California. */
export function enter(call: Call, { method, path }: Route) {
  if (!path.startsWith('/v3/') && !path.startsWith('/upload/v3/')) return
  // The bytes of an opened upload cost nothing more.
  if (method === 'PUT') return
  const { rates, charges, clock } = call.world
  const { bucket, limit, cost } = bucketOf(method, path)
  const name = `YouTube ${bucket}`
  const { allowed } = rates.take(name, name, { limit, cost, windowMs: day }, inCalifornia(clock.now()))
  if (!allowed) throw new Refusal(youtubeAnswers.rateLimit(call))
  charges.units('YouTube', bucket, cost)
}

/** Uploads and statistics have buckets of their own since June 2026 (developers.google.com, revision history). */
function bucketOf(method: string, path: string) {
  if (path === '/upload/v3/videos') return { bucket: 'uploads', limit: 100, cost: 1 }
  if (path === '/v3/videos:batchGetStats') return { bucket: 'stats', limit: 10_000, cost: 1 }
  return { bucket: 'units', limit: 10_000, cost: method === 'GET' ? 1 : 50 }
}

/** The time as California's clocks show it, summer and winter. */
function inCalifornia(now: number): number {
  const zone = california.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value
  return now - Number(/-(\d+)/.exec(zone ?? '')?.[1]) * hour
}

const california = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', timeZoneName: 'longOffset' })
