import { type KeyboardEvent, type MouseEvent, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { errorDetails, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { setSearch, useLocation } from '@/routes/router.ts'
import { addDays, type Day, wallTimeOf } from '@/time/days.ts'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { Agenda } from './agenda.tsx'
import { AttentionBar } from './attention.tsx'
import * as styles from './calendar.module.css'
import { stepDate, useCalendarQuery, useDateRange, useFilters } from './date-range.ts'
import { eventsByDay, noEvents } from './events.tsx'
import { useCalendarShortcuts, useDrag, useSelection } from './interactions.ts'
import { Month } from './month.tsx'
import { movePosts, useMove } from './reschedule.ts'
import { type BulkAction, BulkActionDialog, MoveDialog, SelectionBar } from './reschedule-dialogs.tsx'
import {
  filterPosts,
  groupByDay,
  isMovable,
  noPosts,
  type PostsByDay,
  type ScheduledPost,
  scheduledPostsOf,
} from './scheduled-posts.ts'
import { DayPanel, SidePanel } from './side-panel.tsx'
import { CalendarToolbar } from './toolbar.tsx'
import { Week } from './week.tsx'

const none: PostsByDay = new Map()

/** Side panels by their search parameter; only one is open at a time. */
const closedPanels = { post: '', list: '', late: '', wrong: '', event: '' }

/** The publishing calendar by month, week, day, or as a list. */
export function Calendar() {
  const { search, isPending } = useLocation()
  const range = useDateRange(search)
  const { view, shown, today, clock } = range
  const asked = useCalendarQuery(search, range)
  const { data, error, refetch, isPlaceholderData } = useApiQuery('POST /calendar', asked)
  const wanted = useDeferredValue(useFilters(search))
  const all = useMemo(() => (data ? scheduledPostsOf(data, clock) : noPosts), [data, clock])
  const posts = useMemo(() => filterPosts(all, wanted), [all, wanted])
  const previous = useRef(none)
  const days = useMemo(() => {
    previous.current = groupByDay(posts, previous.current)
    return previous.current
  }, [posts])
  const events = useMemo(() => eventsByDay(data?.CustomEvents ?? [], clock.wall), [data, clock])
  const selection = useSelection(posts)
  const { ids: selected, chosen } = selection

  const openId = search.get('post') ?? ''
  const open = all.find(({ id }) => id === openId)
  const [cursor, setCursor] = useState<Day>(shown)
  const [moving, setMoving] = useState<ScheduledPost>()
  const [bulkAction, setBulkAction] = useState<{ what: BulkAction; posts: readonly ScheduledPost[] }>()
  const area = useRef<HTMLDivElement>(null)
  const mayMove = useMay()('contribute')
  const move = useMove(asked)
  const moveTo = useCallback(
    (post: ScheduledPost, day: Day, minutes: number) =>
      isMovable(post)
        ? move(post, clock.moment(wallTimeOf(day) + minutes * 60_000))
        : toast(texts.calendar.fixed, { kind: 'problem' }),
    [move, clock],
  )
  const postOf = (id: string | undefined) => all.find((post) => post.id === id)
  useDrag(
    area,
    (id, { day, hour }) => {
      const post = postOf(id)
      if (post) moveTo(post, day, hour === undefined ? post.minutes : hour * 60 + (post.minutes % 60))
    },
    mayMove,
  )
  const close = () => setSearch(closedPanels)
  const openBulkAction = (what: BulkAction, selectedPosts: readonly ScheduledPost[]) => {
    const open = selectedPosts.filter(isMovable)
    if (open.length < selectedPosts.length)
      toast(texts.calendar.fixedSeveral(selectedPosts.length - open.length), { kind: 'problem' })
    if (open.length > 0) setBulkAction({ what, posts: open })
  }

  const askToMove = (post: ScheduledPost | undefined) => {
    if (chosen.length > 0) openBulkAction('move', chosen)
    else if (post) isMovable(post) ? setMoving(post) : toast(texts.calendar.fixed)
  }

  const step = useCallback(
    (by: number) => {
      const next = stepDate(shown, view, by)
      setCursor(next)
      setSearch({ ...closedPanels, day: next })
    },
    [shown, view],
  )
  const showToday = useCallback(() => {
    setCursor(today)
    setSearch({ day: '' })
  }, [today])
  useCalendarShortcuts({
    step,
    showToday,
    cursor,
    chosen: () => postOf((document.activeElement as HTMLElement | null)?.dataset.post) ?? open,
    onMove: mayMove ? askToMove : undefined,
    onSelect: ({ id }) => selection.toggle(id),
    onDelete: (post) =>
      chosen.length > 0 ? openBulkAction('delete', chosen) : post && openBulkAction('delete', [post]),
    onClose: () => (Object.keys(closedPanels).some((name) => search.get(name)) ? close() : selection.clear()),
  })

  /** Arrows move between days, Enter opens a day, then arrows move between its posts; with Alt they reschedule the post. */
  const press = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key]
    const chip = target.closest<HTMLElement>('[data-chip]')
    if (chip && event.altKey && by && mayMove) {
      const post = postOf(chip.dataset.post)
      if (post && selected.has(post.id)) void movePosts(asked, chosen.filter(isMovable), by)
      else if (post) moveTo(post, addDays(post.day, by), post.minutes)
      return event.preventDefault()
    }
    if (chip && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const next = event.key === 'ArrowDown' ? chip.nextElementSibling : chip.previousElementSibling
      if (next instanceof HTMLButtonElement) next.focus()
      return event.preventDefault()
    }
    if (chip && event.key === 'Escape' && view === 'month') {
      chip.closest('[data-day]')?.querySelector<HTMLElement>('[data-day-head]')?.focus()
      return event.preventDefault()
    }
    if (chip || view !== 'month' || !target.matches('[data-day-head]')) return
    if (by) {
      const next = addDays(cursor, by)
      setCursor(next)
      if (!range.days.includes(next)) setSearch({ day: next })
      return event.preventDefault()
    }
    const first = target.closest('[data-day]')?.querySelector<HTMLElement>('[data-post]')
    if (event.key === 'Enter' && first) {
      event.preventDefault()
      first.focus()
    }
  }

  const click = (event: MouseEvent) => {
    const target = event.target as HTMLElement
    const { day } = target.closest<HTMLElement>('[data-day]')?.dataset ?? {}
    if (day) setCursor(day)
    const { post, event: eventId } = target.closest<HTMLElement>('[data-post], [data-event]')?.dataset ?? {}
    const rest = target.closest<HTMLElement>('[data-rest]')
    if (post && event.shiftKey && mayMove) selection.toggle(post, true)
    else if (post) setSearch({ ...closedPanels, post })
    else if (eventId) setSearch({ ...closedPanels, event: eventId })
    else if (rest) {
      const hour = rest.dataset.hour ? `T${rest.dataset.hour}` : ''
      setSearch({ ...closedPanels, list: `${rest.dataset.rest}${hour}` })
    }
  }

  const campaigns = data?.Campaigns ?? {}
  const shared = { today, days, campaigns, openId, selected, events }
  return (
    <>
      <CalendarToolbar
        {...{ view, shown, search, posts, step, showToday, cursor }}
        campaigns={campaigns}
        isAll={data?.IsAll !== 0}
        isLoaded={data !== undefined}
      />
      <div className={styles.calendar} data-pending={isPending || isPlaceholderData || undefined}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: delegated handlers for the buttons inside */}
        <div className={styles.area} ref={area} onClick={click} onKeyDown={press}>
          {chosen.length > 0 ? (
            <SelectionBar chosen={chosen} onAsk={(what) => openBulkAction(what, chosen)} onClear={selection.clear} />
          ) : (
            <AttentionBar />
          )}
          {error && !data ? (
            <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />
          ) : !data ? (
            <Loading />
          ) : view === 'month' ? (
            <>
              <Month {...shared} weeks={range.weeks} shown={shown} cursor={cursor} />
              <DayPanel
                day={cursor}
                posts={days.get(cursor) ?? noPosts}
                {...{ campaigns, openId, selected }}
                events={events.get(cursor) ?? noEvents}
                isBelow
              />
            </>
          ) : view === 'list' ? (
            <Agenda {...{ posts, today, campaigns, openId, selected }} />
          ) : (
            <Week {...shared} shown={range.days} />
          )}
        </div>
        <SidePanel
          {...{ search, open, days, events, selected }}
          data={data}
          onPress={press}
          onClick={click}
          onMoveOpen={() => setMoving(open)}
          onMove={move}
          onSelect={selection.toggle}
          onDelete={() => open && openBulkAction('delete', [open])}
          onClose={close}
        />
      </div>
      {moving && (
        <MoveDialog
          post={moving}
          onClose={() => setMoving(undefined)}
          onMove={(at) => {
            setMoving(undefined)
            move(moving, at)
          }}
        />
      )}
      {bulkAction && (
        <BulkActionDialog
          {...bulkAction}
          asked={asked}
          onClose={() => setBulkAction(undefined)}
          onDone={bulkAction.what === 'delete' ? () => close() : selection.clear}
        />
      )}
    </>
  )
}
