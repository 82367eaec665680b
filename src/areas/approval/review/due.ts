/** Whether content can still be approved in time. */
export const dueStates = ['none', 'ahead', 'tight', 'over'] as const
type DueState = (typeof dueStates)[number]

/** People have a day for each step. */
const perStep = 24 * 60 * 60 * 1000

/**
 * `over`: its moment has passed while it waits, and it goes out as soon as it is approved. `tight`: less than a day is left for each
 * of the steps to come, so that it is likely due before it can be approved.
 */
export function dueState(now: Date, due: Date | undefined, stepsLeft: number): DueState {
  if (!due || stepsLeft === 0) return 'none'
  const left = due.getTime() - now.getTime()
  if (left <= 0) return 'over'
  return left < stepsLeft * perStep ? 'tight' : 'ahead'
}
