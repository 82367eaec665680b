import { momentIfAny } from '../../../time/days.ts'
import { type Status, StatusMark } from '../../../ui/marks/status.tsx'
import type { Body } from '../../../wire/call.ts'
import { shortDay } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'

/** How the app at a network is set up, and what it uses. */
export type Setup = Body<'GET /network-setup'>['Items'][number]
export type Use = Body<'GET /network-use'>['Items'][number]

const marks: { [state in Setup['State']]: Status } = { missing: 'draft', attention: 'waiting', ready: 'sent' }

export const SetupMark = ({ setup: { State, IsSandbox } }: { setup: Setup }) => (
  <StatusMark status={IsSandbox ? 'planned' : marks[State]}>
    {words.networkApps.states[IsSandbox ? 'sandbox' : State]}
  </StatusMark>
)

/** When the version in use ends, in a sentence. */
export function versionEnd({ VersionState, VersionEnds, VersionIsEstimate }: Setup): string {
  const ends = momentIfAny(VersionEnds)
  if (VersionState === 'unknown') return words.networkApps.versionUnknown
  if (VersionState === 'undated' || ends === undefined) return words.networkApps.versionUndated
  const day = shortDay(ends)
  if (VersionIsEstimate && VersionState !== 'ended') return words.networkApps.versionAbout(day)
  return words.networkApps.versionEnds[VersionState](day)
}

type Budget = Use['Budgets'][number]

export const budgetName = (name: string): string =>
  (words.networkApps.budgets as { readonly [name: string]: string })[name] ?? name

export function usedOf({ Used, Limit, Unit }: Budget): string {
  const amount = (value: number) => words.networkApps.amount(value, Unit)
  return words.networkApps.used(amount(Used), Limit === null ? '' : amount(Limit))
}
