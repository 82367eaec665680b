import type { Network } from '#networks/manifests.ts'
import { now } from '../../../time/days.ts'
import { words } from '../../../words/words.ts'
import { type Composition, type Intent, momentAt, type Profile } from './composition.ts'

interface Found {
  sentence: string
  network?: Network
  part?: string
}

/** The first thing that stands in the way, and where it is. */
export function firstProblem(
  composition: Composition,
  chosen: readonly Profile[],
  verdicts: readonly { network: Network; problems: readonly string[] }[],
  { isDraft = false }: Intent,
  mayPublish: boolean,
): Found | undefined {
  if (chosen.length === 0) return { sentence: words.composer.profilesMissing, part: 'profiles' }
  const wrong = verdicts.find(({ problems }) => problems.length > 0)
  if (wrong) return { sentence: wrong.problems[0] ?? '', network: wrong.network }
  if (!composition.campaignId) return { sentence: words.composer.campaignMissing, part: 'campaign' }
  if (composition.when !== 'at') return undefined
  const at = momentAt(composition)?.moment
  if (at === undefined) return { sentence: words.composer.timeMissing, part: 'when' }
  // A draft may wait beyond its time, and so may what waits for approval.
  if (at < now() && !isDraft && mayPublish) return { sentence: words.composer.past, part: 'when' }
  return undefined
}

/** Leads to a part of the screen. */
export function goTo(part: string) {
  const place = document.querySelector<HTMLElement>(`[data-part="${part}"]`)
  place?.scrollIntoView({ block: 'center' })
  place?.querySelector<HTMLElement>('[type=date], input:not([type=radio]), button, a')?.focus()
}
