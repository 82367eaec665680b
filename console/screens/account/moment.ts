import { momentOf, now } from '../../time/days.ts'
import { distance } from '../../words/format.ts'

/** A moment of the wire, or nothing where it never was. */
export const momentIfAny = (wire: string): number | undefined => (wire.startsWith('0000') ? undefined : momentOf(wire))

/** How long ago, or the word for never. */
export const ago = (wire: string, never: string): string => {
  const moment = momentIfAny(wire)
  return moment === undefined ? never : distance(moment, now())
}
