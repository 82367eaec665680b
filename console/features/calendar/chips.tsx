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
  /** Reached by the arrows of its grid, unless it stands in a list. */
  isStop?: boolean
}

/** One post. Its name is what it shows, and in words what it shows by a sign. */
export const Chip = memo(({ post, campaigns, isOpen, isSelected, isStop = false }: ChipProps) => {
  const campaign = campaigns[post.campaignId]
  return (
    <button
      type="button"
      data-chip
      className={styles.chip}
      tabIndex={isStop ? 0 : -1}
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
  /** How many more lie on that day. */
  more?: number
  /** Reached by tabs, unless the arrows of a grid lead there. */
  isStop?: boolean
}

/** Something on the calendar that is no post. */
export const EventChip = ({ event: { ID, Title, Color }, more = 0, isStop = false }: EventChipProps) => (
  <button
    type="button"
    data-chip
    className={styles.eventChip}
    tabIndex={isStop ? 0 : -1}
    data-event={ID}
    style={{ '--campaign': Color } as CSSProperties}
  >
    <span className="visually-hidden">{texts.calendar.event} </span>
    <span dir="auto">{more > 0 ? texts.calendar.events(Title, more) : Title}</span>
  </button>
)
