import { localOf, momentOf } from '#areas/publishing/queue/local-time.ts'
import type { BoardRow } from './board-row.ts'

type Settings = Pick<BoardRow, 'notificationsDay' | 'notificationsHour' | 'notificationsZone'>

const day = 24 * 60 * 60 * 1000

/** The hour, in UTC, at which the letters of a board leave around this moment; in zones that change their clocks it does too. */
export function hourInUtc({ notificationsHour, notificationsZone }: Settings, now: Date): string {
  try {
    const moment = momentOf(localOf(now, notificationsZone), notificationsHour * 60, notificationsZone)
    return String(moment.getUTCHours())
  } catch {
    // A zone that is no longer known must not keep anybody from seeing the board.
    return String(notificationsHour)
  }
}

/** When the next letter is due after a moment; nothing where none is wanted. */
export function nextDigest(
  board: Settings & Pick<BoardRow, 'notificationsEnabled' | 'status'>,
  after: Date,
): Date | null {
  const { notificationsEnabled, status, notificationsDay, notificationsHour, notificationsZone } = board
  if (!notificationsEnabled || status !== 'active') return null
  for (let days = -1; days <= 8; days++) {
    const local = localOf(new Date(after.getTime() + days * day), notificationsZone)
    const due = momentOf(local, notificationsHour * 60, notificationsZone)
    if (due > after && (notificationsDay === null || notificationsDay === local.weekday)) return due
  }
  return null
}
