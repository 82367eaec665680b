import type { Call, NetworkApi } from '../http/call.ts'
import { Refusal } from '../http/call.ts'
import { day, hour } from '../state/clock.ts'
import { graphAnswers, pageThrottled } from './refusals.ts'

const newest = 26
const oldestAlive = 21

/** Takes the version off the path: unknown ones are refused, dead and missing ones served as the oldest living. */
export function locate(path: string, call: Call): string {
  const version = /^\/v(\d+)\.(\d+)(?=\/|$)/.exec(path)
  if (!version) {
    call.version = `v${oldestAlive}.0`
    return path
  }
  const number = Number(version[1])
  if (number > newest || number < 1 || version[2] !== '0')
    throw new Refusal(graphAnswers.unknownPath({ ...call, path }))
  call.version = `v${Math.max(number, oldestAlive)}.0`
  return path.slice(version[0].length) || '/'
}

/** Counts the call against app and page, and says in the headers how much is used. */
export function meter(call: Call, profileOf: NetworkApi['profileOf']) {
  const { rates, clock } = call.world
  call.answerHeaders['facebook-api-version'] = call.version ?? ''
  const profile = profileOf(call)
  if (profile === undefined) return
  const app = rates.take('graph:app', 'Graph app', { limit: 20_000, windowMs: hour }, clock.now())
  const page = rates.take(`graph:${profile}`, 'Graph page', { limit: 48_000, windowMs: day }, clock.now())
  const usage = (limit: number, remaining: number) => {
    const used = limit === 0 ? 100 : Math.floor((100 * (limit - remaining)) / limit)
    return { call_count: used, total_time: used, total_cputime: used }
  }
  const pageUsage = usage(page.limit, page.remaining)
  call.answerHeaders['x-app-usage'] = JSON.stringify(usage(app.limit, app.remaining))
  call.answerHeaders['x-page-usage'] = JSON.stringify(pageUsage)
  call.answerHeaders['x-business-use-case-usage'] = JSON.stringify({
    [profile]: [{ type: 'pages', ...pageUsage, estimated_time_to_regain_access: 0 }],
  })
  if (!app.allowed || !page.allowed) throw new Refusal(pageThrottled(call, profile))
}
