import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './stage.ts'

export const changes = ['paused', 'archived', 'deleted'] as const
export type Change = (typeof changes)[number]

export interface ChangeAnswer {
  /** When the answer was here. */
  answered: number
  /** Milliseconds of the call that succeeded. */
  took: number
  tries: number
  refusal?: string
}

const mostTries = 60

/** Changes a campaign through the interface; a deletion that is refused because posts are on their way is asked for again. */
export async function changeCampaign({ admin }: Stage, id: string, change: Change): Promise<ChangeAnswer> {
  for (let tries = 1; ; tries++) {
    const begun = performance.now()
    const { status, text } =
      change === 'deleted'
        ? await admin(`DELETE /campaign/${id}`)
        : await admin(`POST /campaign/${id}`, { body: { status: change } })
    const answer = { answered: Date.now(), took: performance.now() - begun, tries }
    if (status === 200) return answer
    const mayRepeat = change === 'deleted' && status === 409 && tries < mostTries
    if (!mayRepeat) return { ...answer, answered: Number.POSITIVE_INFINITY, refusal: `${change}: ${status} ${text}` }
    await sleep(100)
  }
}

/** The control: says in the database that the campaign has changed, and takes that for done. */
export async function changeBehind(stage: Stage, id: string, change: Change): Promise<ChangeAnswer> {
  const begun = performance.now()
  const set = change === 'deleted' ? 'deleted = now()' : `status = '${change}'`
  await stage.query(`update campaigns set ${set} where id = $1`, [id])
  return { answered: Date.now(), took: performance.now() - begun, tries: 1 }
}
