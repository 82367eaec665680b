import type { NetworkInstallation, Usage } from '../connector/network-app.ts'
import { endpointOf, type NetworkAnswer, type NetworkCall } from '../wire/network-call.ts'

type Headers = NetworkAnswer['headers']

/** Who has to wait when nothing is left of an allowance. */
const allowances = [
  { prefix: 'x-app-limit-24hour', scope: 'app' },
  { prefix: 'x-user-limit-24hour', scope: 'actor' },
  { prefix: 'x-rate-limit', scope: 'endpoint' },
] as const

const fallbackMs = 900_000

/** Tells how much is used up, after every answer that says so. X counts each endpoint by itself, for the app or for each user. */
export function reportUsage(
  installation: NetworkInstallation,
  who: string,
  { headers }: NetworkAnswer,
  call: NetworkCall,
) {
  for (const { prefix, scope } of allowances) {
    const [limit, remaining] = [numberIn(headers, `${prefix}-limit`), numberIn(headers, `${prefix}-remaining`)]
    if (!limit || remaining === undefined) continue
    const of = `${scope === 'app' ? 'app' : who} ${endpointOf(call)}`
    const usage: Usage = { network: 'Twitter', scope: 'endpoint', of, used: 1 - remaining / limit }
    installation.report?.({ ...usage, until: endOf(headers, prefix) })
  }
}

/** When the allowance that is spent starts anew, the longest first. */
export function resetAt(headers: Headers, now: Date): { until: Date; scope: Usage['scope'] } {
  const spent = allowances.find(({ prefix }) => numberIn(headers, `${prefix}-remaining`) === 0)
  const until = endOf(headers, spent?.prefix ?? 'x-rate-limit')
  return { until: until ?? new Date(now.getTime() + fallbackMs), scope: spent?.scope ?? 'endpoint' }
}

function endOf(headers: Headers, prefix: string): Date | undefined {
  const seconds = numberIn(headers, `${prefix}-reset`)
  return seconds === undefined ? undefined : new Date(seconds * 1000)
}

function numberIn(headers: Headers, name: string): number | undefined {
  const value = Number(headers[name] ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}
