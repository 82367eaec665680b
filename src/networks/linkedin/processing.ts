import type { Actor } from '../connector/actor.ts'
import type { Progress, Step } from '../connector/draft.ts'
import { badInput } from '../connector/fault.ts'
import { type Calls, ifAllowed, read } from './calls.ts'
import { textAt } from './fields.ts'
import { encoded } from './urns.ts'

/** Whether LinkedIn lets us read what this profile has posted and uploaded. */
export const mayRead = ({ kind, secret }: Actor) => kind === 'page' || secret.scopes.includes('r_member_social')

type AssetState = 'WAITING_UPLOAD' | 'PROCESSING' | 'AVAILABLE' | 'PROCESSING_FAILED' | 'unreadable'

export async function assetState(calls: Calls, actor: Actor, urn: string): Promise<AssetState> {
  const kind = kindIn(urn)
  if (kind !== 'video' && !mayRead(actor)) return 'unreadable'
  const asset = await ifAllowed(read(calls, actor, `/rest/${kind}s/${encoded(urn)}`))
  return (textAt(asset, 'status') as AssetState | undefined) ?? 'unreadable'
}

/** When to look again, while LinkedIn still works on what was uploaded; nothing when the post can be made. */
export async function unfinished(
  calls: Calls,
  actor: Actor,
  assets: readonly string[],
  progress?: Progress,
): Promise<Step | undefined> {
  if (!assets.length || progress?.waited === true) return undefined
  const states = await Promise.all(assets.map((urn) => assetState(calls, actor, urn)))
  if (states.includes('PROCESSING_FAILED')) {
    throw badInput('LinkedIn', 'LinkedIn could not process the uploaded file; it may be damaged or too large.', 'media')
  }
  if (states.every((state) => state === 'AVAILABLE')) return undefined
  // Who cannot ask waits once; a post that comes too early is refused and tried again.
  const blind = states.every((state) => state === 'AVAILABLE' || state === 'unreadable')
  return stillProcessing(assets, blind)
}

export const stillProcessing = (assets: readonly string[], waited: boolean): Step => ({
  state: 'pending',
  progress: { stage: 'processing', assets: [...assets], ...(waited && { waited }) },
  checkAfterMs: assets.some((urn) => kindIn(urn) === 'video') ? 10_000 : 5_000,
})

const kindIn = (urn: string) => urn.split(':')[2] ?? 'image'
