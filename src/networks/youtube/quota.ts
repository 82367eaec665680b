import type { NetworkInstallation } from '../connector/network-app.ts'
import { type Allowance, dailyAllowances, type MethodName, methods } from './methods.ts'

/** Counts what this process spends of the project's day and reports it, because YouTube's answers do not tell. */
export function openQuota({ clock, report }: NetworkInstallation): (name: MethodName) => void {
  let until = new Date(0)
  let spent = { units: 0, uploads: 0 }
  return (name) => {
    const now = clock.now()
    if (now >= until) {
      until = nextPacificMidnight(now)
      spent = { units: 0, uploads: 0 }
    }
    for (const [allowance, cost] of Object.entries(methods[name].cost) as [Allowance, number][]) {
      spent[allowance] += cost
      const used = Math.min(1, spent[allowance] / dailyAllowances[allowance])
      report?.({ network: 'YouTube', scope: allowance === 'units' ? 'app' : 'endpoint', of: allowance, used, until })
    }
  }
}

/** When the day after this one begins in California; clocks are changed there at two, so that midnight exists once. */
export function nextPacificMidnight(now: Date): Date {
  const { year, month, day } = pacific(now)
  const [summer, winter] = [7, 8].map((hours) => new Date(Date.UTC(year, month - 1, day + 1, hours))) as [Date, Date]
  return pacific(summer).hour === 0 ? summer : winter
}

function pacific(at: Date): { year: number; month: number; day: number; hour: number } {
  const value = (type: string) => Number(inCalifornia.formatToParts(at).find((part) => part.type === type)?.value)
  return { year: value('year'), month: value('month'), day: value('day'), hour: value('hour') }
}

const inCalifornia = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
})
