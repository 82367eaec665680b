import { type CSSProperties, memo } from 'react'
import { texts } from '@/i18n/texts.ts'
import { NetworkIcon, StatusIcon } from '@/ui/badges.tsx'
import type { CalendarEvent } from './events.tsx'
import { type CalendarData, clockOf, type ScheduledPost } from './scheduled-posts.ts'

export type Campaigns = CalendarData['Campaigns']

interface ChipProps {
  post: ScheduledPost
  campaigns: Campaigns
  isOpen: boolean
  isSelected: boolean
  /** Reached by the arrows of its grid, unless it stands in a list. */
  isStop?: boolean
}

/** One post. Its name is what it shows, and in words what it shows by a sign. */
export const Chip = memo(({ post, campaigns, isOpen, isSelected, isStop = false }: ChipProps) => {
  const campaign = campaigns[post.campaignId]
  return (
    <button
      type="button"
      className="chip"
      tabIndex={isStop ? 0 : -1}
      data-post={post.id}
      data-status={post.status}
      aria-pressed={isOpen}
      data-selected={isSelected || undefined}
      style={{ '--campaign': campaign?.Color || 'var(--edge)' } as CSSProperties}
    >
      <NetworkIcon network={post.network} label />
      <span className="chip-time number">{clockOf(post.minutes)}</span>
      <span className="chip-text" dir="auto">
        {post.text}
      </span>
      {post.status === 'planned' ? (
        <span className="unseen">{texts.ui.status.planned}</span>
      ) : (
        <StatusIcon status={post.status} />
      )}
      <span className="unseen">
        {post.isLate ? texts.calendar.late : ''} {campaign?.Name} {isSelected && texts.calendar.isSelected}
      </span>
    </button>
  )
})

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
    <span className="unseen">{texts.calendar.event} </span>
    <span dir="auto">{more > 0 ? texts.calendar.events(Title, more) : Title}</span>
  </button>
)
