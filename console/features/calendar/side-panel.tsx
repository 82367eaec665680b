import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import { type Day, now } from '@/time/days.ts'
import { Panel } from '@/ui/layout.tsx'
import { FailedPostsPanel, MissedPostsPanel } from './attention.tsx'
import * as styles from './calendar.module.css'
import { type Campaigns, Chip, EventChip } from './chips.tsx'
import { dayName } from './date-range.ts'
import { type CalendarEvent, EventDialog, EventPanel, type EventsByDay, noEvents } from './events.tsx'
import { PostPanel } from './post-panel.tsx'
import { type CalendarData, noPosts, type PostsByDay, type ScheduledPost } from './scheduled-posts.ts'

interface SideProps {
  search: URLSearchParams
  open: ScheduledPost | undefined
  data: CalendarData | undefined
  days: PostsByDay
  events: EventsByDay
  selected: ReadonlySet<string>
  onPress: (event: KeyboardEvent) => void
  onClick: (event: MouseEvent) => void
  onMoveOpen: () => void
  onMove: (post: { id: string; at: number }, at: number) => void
  onSelect: (id: string) => void
  onDelete: () => void
  onClose: () => void
}

/** The panel beside the calendar: a post, an event, a day, or the posts that need attention. */
export function SidePanel(props: SideProps) {
  const { search, open, data, days, events, selected, onClose } = props
  const [isEditing, setIsEditing] = useState(false)
  const paramOf = (name: string) => search.get(name) ?? ''
  const list = paramOf('list')
  const openId = paramOf('post')
  if (openId)
    return (
      <PostPanel
        key={openId}
        id={openId}
        planned={open}
        calendarData={data}
        onMove={props.onMoveOpen}
        onSelect={() => props.onSelect(openId)}
        onDelete={props.onDelete}
        onClose={onClose}
      />
    )
  if (paramOf('late')) return <MissedPostsPanel onMove={props.onMove} onClose={onClose} />
  if (paramOf('wrong')) return <FailedPostsPanel profiles={data?.Credentials ?? {}} onClose={onClose} />
  if (paramOf('event') && data) {
    const event = data.CustomEvents.find(({ ID }) => ID === paramOf('event'))
    return (
      <>
        <EventPanel key={paramOf('event')} event={event} onEdit={() => setIsEditing(true)} onClose={onClose} />
        {isEditing && event && (
          <EventDialog
            event={event}
            day={new Date(now()).toISOString().slice(0, 10)}
            onClose={() => setIsEditing(false)}
          />
        )}
      </>
    )
  }
  if (!list) return null
  const day = list.slice(0, 10)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: delegated handlers for the buttons inside
    <div className={styles.side} onClick={props.onClick} onKeyDown={props.onPress}>
      <DayPanel
        day={day}
        posts={inHour(days.get(day) ?? noPosts, list.slice(11))}
        events={list.length > 10 ? noEvents : (events.get(day) ?? noEvents)}
        campaigns={data?.Campaigns ?? {}}
        openId={openId}
        selected={selected}
        onClose={onClose}
      />
    </div>
  )
}

const inHour = (posts: readonly ScheduledPost[], hour: string) =>
  hour === '' ? posts : posts.filter(({ minutes }) => Math.floor(minutes / 60) === Number(hour))

interface DayPanelProps {
  day: Day
  posts: readonly ScheduledPost[]
  campaigns: Campaigns
  openId: string
  selected: ReadonlySet<string>
  events: readonly CalendarEvent[]
  onClose?: () => void
  /** On phones: always visible below the month, hidden elsewhere. */
  isBelow?: boolean
}

/** All posts of a day, or of one hour. */
export function DayPanel(props: DayPanelProps) {
  const { day, posts, events, campaigns, openId, selected, onClose, isBelow = false } = props
  const chips = (
    <>
      {events.map((event) => (
        <EventChip key={event.ID} event={event} isTabStop />
      ))}
      {posts.length === 0 && <p className="muted">{texts.calendar.nothingOnDay}</p>}
      {posts.map((post) => (
        <Chip
          key={post.id}
          post={post}
          campaigns={campaigns}
          isOpen={post.id === openId}
          isSelected={selected.has(post.id)}
          isTabStop
        />
      ))}
    </>
  )
  if (isBelow)
    return (
      <section className={styles.dayBelow}>
        <h2>{dayName(day)}</h2>
        <div className={styles.dayChips}>{chips}</div>
      </section>
    )
  return (
    <Panel
      title={
        <>
          {dayName(day)} <small className="muted">{texts.calendar.posts(posts.length)}</small>
        </>
      }
      onClose={() => onClose?.()}
    >
      <div className={styles.dayChips}>{chips}</div>
    </Panel>
  )
}
