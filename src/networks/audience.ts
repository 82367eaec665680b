import type { Audience } from './draft.ts'
import { NetworkError } from './fault.ts'
import { targetOf } from './linkedin/targeting.ts'

/** What is wrong with an audience, in a sentence; nothing when it can be used. Only LinkedIn knows audiences. */
export function audienceProblem(audience: Audience): string | undefined {
  try {
    targetOf(audience)
    return undefined
  } catch (error) {
    if (error instanceof NetworkError) return error.message
    throw error
  }
}
