import { momentIfAny, now } from '../../time/days.ts'
import { distance } from '../../words/format.ts'

/** How long ago, or the word for never. */
export const ago = (wire: string, never: string): string => {
  const moment = momentIfAny(wire)
  return moment === undefined ? never : distance(moment, now())
}
