import { type CSSProperties, memo, useEffect, useMemo, useRef } from 'react'
import { formatDay, formatNumber } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { type Day, wallTimeOf } from '@/time/days.ts'
import * as styles from './calendar.module.css'
import { type Campaigns, Chip, EventChip } from './chips.tsx'
import type { EventsByDay } from './events.tsx'
import { noSelection } from './interactions.ts'
import { clockOf, noPosts, type PostsByDay, type ScheduledPost, visiblePosts } from './scheduled-posts.ts'

interface WeekProps {
  /** Seven days, or a single one. */
  shown: readonly Day[]
  today: Day
  days: PostsByDay
  campaigns: Campaigns
  openId: string
  selected: ReadonlySet<string>
  events: EventsByDay
}

const maxInWeek = 3
const maxInDay = 12
const initialHour = 7

/** Days by the hour. Each hour is a cell, so that a busy hour stays a readable list instead of narrow columns. */
export function Week({ shown, today, days, events, campaigns, openId, selected }: WeekProps) {
  const scroller = useRef<HTMLTableElement>(null)
  const hours = useMemo(
    () => Array.from({ length: 24 }, (_, hour) => shown.map((day) => inHour(days.get(day) ?? noPosts, hour))),
    [days, shown],
  )
  const first = firstHour(hours)
  // Scrolls to the first posts when other days are shown or their posts have loaded.
  const key = `${shown[0]} ${shown.length} ${hours.flat().some((posts) => posts.length > 0)}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per date range, not whenever a post moves
  useEffect(() => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${first}"]`)
    if (row && scroller.current) scroller.current.scrollTop = row.offsetTop - 48
  }, [key])
  return (
    <table
      data-testid="week"
      className={styles.week}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move between hours, as in a grid
      role="grid"
      aria-label={texts.calendar.byHour}
      ref={scroller}
      data-sideways
      style={{ '--columns': shown.length } as CSSProperties}
    >
      <thead className={styles.weekTop}>
        <tr className={styles.weekHead}>
          <th scope="col">
            <span className="visually-hidden">{texts.calendar.hour}</span>
          </th>
          {shown.map((day) => (
            <th key={day} scope="col" aria-current={day === today ? 'date' : undefined}>
              {formatDay(wallTimeOf(day), { weekday: 'short' })} <b className="tabular-nums">{Number(day.slice(8))}</b>
              <small className="tabular-nums">
                {formatNumber(days.get(day)?.length ?? 0)}{' '}
                <span className="visually-hidden">{texts.calendar.postsWord}</span>
              </small>
              {events.get(day)?.map((event) => (
                <EventChip key={event.ID} event={event} isTabStop />
              ))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className={styles.weekHours}>
        {hours.map((cells, hour) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the hour
          <tr key={hour} className={styles.weekHour} data-row={hour}>
            <th scope="row" className={`${styles.weekClock} tabular-nums`}>
              {clockOf(hour * 60)}
            </th>
            {cells.map((posts, index) => (
              <Hour
                key={shown[index]}
                day={shown[index] ?? ''}
                maxVisible={shown.length === 1 ? maxInDay : maxInWeek}
                {...{ hour, posts, campaigns, openId }}
                selected={posts.some(({ id }) => selected.has(id)) ? selected : noSelection}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const inHour = (posts: readonly ScheduledPost[], hour: number) => {
  const found = posts.filter(({ minutes }) => Math.floor(minutes / 60) === hour)
  return found.length === 0 ? noPosts : found
}

function firstHour(hours: readonly (readonly (readonly ScheduledPost[])[])[]): number {
  const busy = hours.findIndex((cells) => cells.some((posts) => posts.length > 0))
  return busy < 0 ? initialHour : Math.max(0, Math.min(busy, 20) - 1)
}

interface HourProps {
  day: Day
  hour: number
  maxVisible: number
  posts: readonly ScheduledPost[]
  campaigns: Campaigns
  openId: string
  selected: ReadonlySet<string>
}

const Hour = memo(({ day, hour, maxVisible, posts, campaigns, openId, selected }: HourProps) => {
  const shown = visiblePosts(posts, posts.length <= maxVisible ? maxVisible : maxVisible - 1)
  return (
    <td className={styles.weekSlot} data-day={day} data-hour={hour}>
      {shown.map((post, index) => (
        <Chip
          key={post.id}
          post={post}
          campaigns={campaigns}
          isOpen={post.id === openId}
          isSelected={selected.has(post.id)}
          isTabStop={index === 0}
        />
      ))}
      {posts.length > shown.length && (
        <button
          type="button"
          data-chip
          className={`${styles.dayRest} tabular-nums`}
          tabIndex={-1}
          data-rest={day}
          data-hour={hour}
        >
          {texts.calendar.more(posts.length - shown.length)}
        </button>
      )}
    </td>
  )
})
