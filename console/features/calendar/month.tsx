import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { formatDay } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { type Day, monthOf, wallTimeOf } from '@/time/days.ts'
import * as styles from './calendar.module.css'
import { type Campaigns, Chip, EventChip } from './chips.tsx'
import { type CalendarEvent, type EventsByDay, noEvents } from './events.tsx'
import { noSelection } from './interactions.ts'
import { byHour, noPosts, type PostsByDay, type ScheduledPost, visiblePosts } from './scheduled-posts.ts'

interface MonthProps {
  weeks: readonly (readonly Day[])[]
  shown: Day
  today: Day
  days: PostsByDay
  events: EventsByDay
  campaigns: Campaigns
  openId: string
  selected: ReadonlySet<string>
  cursor: Day
}

/** A month grid; each day shows as many posts as fit. */
export function Month({ weeks, shown, today, days, events, campaigns, openId, selected, cursor }: MonthProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const maxVisible = useMaxVisible(body, weeks.length)
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move between days, as in a grid
    <table data-testid="month" className={styles.month} role="grid" aria-label={texts.calendar.byDay}>
      <thead>
        <tr className={styles.monthWeekdays}>
          {weeks[0]?.map((day) => (
            <th key={day} scope="col">
              {formatDay(wallTimeOf(day), { weekday: 'short' })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className={styles.monthWeeks} ref={body}>
        {weeks.map((week) => (
          <tr key={week[0]} className={styles.monthWeek}>
            {week.map((day) => {
              const posts = days.get(day) ?? noPosts
              return (
                <DayCell
                  key={day}
                  {...{ day, posts, maxVisible, campaigns }}
                  events={events.get(day) ?? noEvents}
                  isInMonth={monthOf(day) === monthOf(shown)}
                  isToday={day === today}
                  isCursor={day === cursor}
                  openId={posts.some(({ id }) => id === openId) ? openId : ''}
                  selected={posts.some(({ id }) => selected.has(id)) ? selected : noSelection}
                />
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const chipHeight = 23
const headHeight = 32

/** How many posts fit into a day; the same for all days. */
function useMaxVisible(body: RefObject<HTMLElement | null>, weeks: number) {
  const [maxVisible, setMaxVisible] = useState(3)
  useLayoutEffect(() => {
    const element = body.current
    if (!element) return
    const measure = () =>
      setMaxVisible(Math.max(1, Math.floor((element.clientHeight / weeks - headHeight) / chipHeight)))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [body, weeks])
  return maxVisible
}

interface DayProps {
  day: Day
  posts: readonly ScheduledPost[]
  events: readonly CalendarEvent[]
  maxVisible: number
  campaigns: Campaigns
  isInMonth: boolean
  isToday: boolean
  isCursor: boolean
  openId: string
  selected: ReadonlySet<string>
}

const DayCell = memo((props: DayProps) => {
  const { day, posts, events, maxVisible, campaigns, isInMonth, isToday, isCursor, openId, selected } = props
  const head = useRef<HTMLButtonElement>(null)
  // The focus follows the cursor during keyboard navigation, but is never taken from outside the grid.
  useEffect(() => {
    const active = document.activeElement
    if (isCursor && active?.matches('[data-day-head]')) head.current?.focus()
  }, [isCursor])
  const left = maxVisible - Math.min(events.length, 1)
  const shown = visiblePosts(posts, posts.length <= left ? left : Math.max(0, left - 1))
  const rest = posts.length - shown.length
  const wallTime = wallTimeOf(day)
  return (
    <td
      className={styles.day}
      data-day={day}
      data-outside={!isInMonth || undefined}
      data-cursor={isCursor || undefined}
      data-busy={posts.length > 0 || undefined}
      aria-current={isToday ? 'date' : undefined}
    >
      <button
        ref={head}
        type="button"
        data-day-head
        className={`${styles.dayHead} tabular-nums`}
        tabIndex={isCursor ? 0 : -1}
        data-rest={day}
      >
        <span className={styles.dayDate} aria-hidden="true">
          {day.endsWith('-01') ? formatDay(wallTime, { day: 'numeric', month: 'short' }) : Number(day.slice(8))}
        </span>
        <span className="visually-hidden">
          {formatDay(wallTime, { dateStyle: 'full' })}, {texts.calendar.posts(posts.length)}
        </span>
      </button>
      <AttentionCounts posts={posts} />
      {events.length > 0 && <EventChip event={events[0] as CalendarEvent} more={events.length - 1} />}
      {shown.map((post) => (
        <Chip
          key={post.id}
          post={post}
          campaigns={campaigns}
          isOpen={post.id === openId}
          isSelected={selected.has(post.id)}
        />
      ))}
      {rest > 0 && (
        <button type="button" data-chip className={`${styles.dayRest} tabular-nums`} tabIndex={-1} data-rest={day}>
          {texts.calendar.more(rest)}
          {posts.length > 24 && <Hours posts={posts} />}
        </button>
      )}
    </td>
  )
})

/** Number of posts of the day that need attention. */
function AttentionCounts({ posts }: { posts: readonly ScheduledPost[] }) {
  const failed = posts.filter(({ status }) => status === 'failed' || status === 'unsure').length
  const waiting = posts.filter(({ status }) => status === 'waiting').length
  if (failed + waiting === 0) return null
  return (
    <span className={`${styles.dayTrouble} tabular-nums`}>
      {failed > 0 && (
        <span data-status="failed">
          {failed}
          <span className="visually-hidden"> {texts.calendar.troubled}</span>
        </span>
      )}
      {waiting > 0 && (
        <span data-status="waiting">
          {waiting}
          <span className="visually-hidden"> {texts.ui.status.waiting}</span>
        </span>
      )}
    </span>
  )
}

/** Posts per hour of a busy day, as a bar for each hour. */
function Hours({ posts }: { posts: readonly ScheduledPost[] }) {
  const hours = byHour(posts)
  const most = Math.max(...hours)
  const path = hours
    .map((count, hour) => (count ? `M${hour * 3 + 1.5} 12v-${Math.max(1.5, (count / most) * 12)}` : ''))
    .join('')
  return (
    <svg className={styles.dayHours} viewBox="0 0 72 12" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
