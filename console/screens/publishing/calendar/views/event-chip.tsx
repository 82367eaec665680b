import type { CSSProperties } from 'react'
import { words } from '../../../../words/words.ts'
import type { CalendarEvent } from '../event.ts'

interface EventChipProps {
  event: CalendarEvent
  /** How many more lie on that day. */
  more?: number
  /** Reached by tabs, unless the arrows of a grid lead there. */
  isStop?: boolean
}

/** Something on the calendar that is no post. */
export const EventChip = ({ event: { ID, Title, Color }, more = 0, isStop = false }: EventChipProps) => (
  <button
    type="button"
    className="event-chip"
    tabIndex={isStop ? 0 : -1}
    data-event={ID}
    style={{ '--campaign': Color } as CSSProperties}
  >
    <span className="unseen">{words.calendar.event} </span>
    <span dir="auto">{more > 0 ? words.calendar.events(Title, more) : Title}</span>
  </button>
)
