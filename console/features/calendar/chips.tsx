import { type CSSProperties, memo } from 'react'
import { texts } from '@/i18n/texts.ts'
import { NetworkIcon, StatusIcon } from '@/ui/badges.tsx'
import * as styles from './calendar.module.css'
import type { CalendarEvent } from './events.tsx'
import { type CalendarData, clockOf, type ScheduledPost } from './scheduled-posts.ts'

export type Campaigns = CalendarData['Campaigns']

interface ChipProps {
  post: ScheduledPost
  campaigns: Campaigns
  isOpen: boolean
  isSelected: boolean
  /** Reached by the arrow keys of its grid instead of Tab, unless it is in a list. */
  isTabStop?: boolean
}

/** One post. Its accessible name includes the text of what it shows as icons. */
export const Chip = memo(({ post, campaigns, isOpen, isSelected, isTabStop = false }: ChipProps) => {
  const campaign = campaigns[post.campaignId]
  return (
    <button
      type="button"
      data-chip
      className={styles.chip}
      tabIndex={isTabStop ? 0 : -1}
      data-post={post.id}
      data-status={post.status}
      aria-pressed={isOpen}
      data-selected={isSelected || undefined}
      style={{ '--campaign': campaign?.Color || 'var(--edge)' } as CSSProperties}
    >
      <NetworkIcon network={post.network} label />
      <span className={`${styles.chipTime} tabular-nums`}>{clockOf(post.minutes)}</span>
      <span className={styles.chipText} dir="auto">
        {post.text}
      </span>
      {post.status === 'planned' ? (
        <span className="visually-hidden">{texts.ui.status.planned}</span>
      ) : (
        <StatusIcon status={post.status} />
      )}
      <span className="visually-hidden">
        {post.isLate ? texts.calendar.late : ''} {campaign?.Name} {isSelected && texts.calendar.isSelected}
      </span>
    </button>
  )
})

interface EventChipProps {
  event: CalendarEvent
  /** Number of further events on that day. */
  more?: number
  /** In the tab order, unless the arrow keys of a grid reach it. */
  isTabStop?: boolean
}

/** A calendar event that is not a post. */
export const EventChip = ({ event: { ID, Title, Color }, more = 0, isTabStop = false }: EventChipProps) => (
  <button
    type="button"
    data-chip
    className={styles.eventChip}
    tabIndex={isTabStop ? 0 : -1}
    data-event={ID}
    style={{ '--campaign': Color } as CSSProperties}
  >
    <span className="visually-hidden">{texts.calendar.event} </span>
    <span dir="auto">{more > 0 ? texts.calendar.events(Title, more) : Title}</span>
  </button>
)
