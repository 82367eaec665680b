import type { Day } from '../../../../time/days.ts'
import { Panel } from '../../../../ui/layers/panel.tsx'
import { words } from '../../../../words/words.ts'
import type { CalendarEvent } from '../event.ts'
import type { Planned } from '../plan.ts'
import { type Campaigns, Chip } from '../views/chip.tsx'
import { EventChip } from '../views/event-chip.tsx'
import { dayName } from '../views/month.tsx'

interface DayPanelProps {
  day: Day
  posts: readonly Planned[]
  campaigns: Campaigns
  openId: string
  selected: ReadonlySet<string>
  events: readonly CalendarEvent[]
  onClose?: () => void
  /** On phones: below the month, always there, and not elsewhere. */
  isBelow?: boolean
}

/** All of a day, or of an hour of it. */
export function DayPanel(props: DayPanelProps) {
  const { day, posts, events, campaigns, openId, selected, onClose, isBelow = false } = props
  const chips = (
    <>
      {events.map((event) => (
        <EventChip key={event.ID} event={event} isStop />
      ))}
      {posts.length === 0 && <p className="quiet">{words.calendar.nothingOnDay}</p>}
      {posts.map((post) => (
        <Chip
          key={post.id}
          post={post}
          campaigns={campaigns}
          isOpen={post.id === openId}
          isSelected={selected.has(post.id)}
          isStop
        />
      ))}
    </>
  )
  if (isBelow)
    return (
      <section className="day-below">
        <h2>{dayName(day)}</h2>
        <div className="day-chips">{chips}</div>
      </section>
    )
  return (
    <Panel
      title={
        <>
          {dayName(day)} <small className="quiet">{words.calendar.posts(posts.length)}</small>
        </>
      }
      onClose={() => onClose?.()}
    >
      <div className="day-chips">{chips}</div>
    </Panel>
  )
}
