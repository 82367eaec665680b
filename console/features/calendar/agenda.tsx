import { useMemo, useRef } from 'react'
import { texts } from '@/i18n/texts.ts'
import type { Day } from '@/time/days.ts'
import { EmptyState } from '@/ui/states.tsx'
import { useVirtualRows } from '@/ui/virtual-list.ts'
import * as styles from './calendar.module.css'
import { type Campaigns, Chip } from './chips.tsx'
import { dayName } from './date-range.ts'
import type { ScheduledPost } from './scheduled-posts.ts'

interface AgendaProps {
  posts: readonly ScheduledPost[]
  today: Day
  campaigns: Campaigns
  openId: string
  selected: ReadonlySet<string>
}

type Row = { day: Day; post?: undefined } | { day: Day; post: ScheduledPost }

/** All posts in one list, grouped by day. Virtualized: only visible rows are rendered. */
export function Agenda({ posts, today, campaigns, openId, selected }: AgendaProps) {
  const scroller = useRef<HTMLElement>(null)
  const rows = useMemo(() => rowsOf(posts), [posts])
  const { from, until, before, after } = useVirtualRows(scroller, rows.length)
  if (posts.length === 0) return <EmptyState icon="calendar" title={texts.calendar.nothing} />
  return (
    <section
      data-testid="agenda"
      className={styles.agenda}
      ref={scroller}
      aria-label={texts.calendar.list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
    >
      <div style={{ blockSize: before }} />
      {rows.slice(from, until).map((row) =>
        row.post ? (
          <Chip
            key={row.post.id}
            post={row.post}
            campaigns={campaigns}
            isOpen={row.post.id === openId}
            isSelected={selected.has(row.post.id)}
            isTabStop
          />
        ) : (
          <h2 key={row.day} className={styles.agendaDay} aria-current={row.day === today ? 'date' : undefined}>
            {dayName(row.day)}
          </h2>
        ),
      )}
      <div style={{ blockSize: after }} />
    </section>
  )
}

function rowsOf(posts: readonly ScheduledPost[]): Row[] {
  const rows: Row[] = []
  let last = ''
  for (const post of posts) {
    if (post.day !== last) rows.push({ day: post.day })
    last = post.day
    rows.push({ day: post.day, post })
  }
  return rows
}
