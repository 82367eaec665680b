import { type KeyboardEvent, type MouseEvent, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { told, useCall } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, useAddress } from '@/routes/router.ts'
import { addDays, type Day, wallOf } from '@/time/days.ts'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { Agenda } from './agenda.tsx'
import { LateBar } from './attention.tsx'
import { stepFrom, useAsked, useStretch, useWanted } from './date-range.ts'
import { eventsByDay, noEvents } from './events.tsx'
import { useCalendarKeys, useDrag, useSelection } from './interactions.ts'
import { Month } from './month.tsx'
import { moveTogether, useMove } from './reschedule.ts'
import { MoveDialog, SelectionBar, type Together, TogetherDialog } from './reschedule-dialogs.tsx'
import { byDay, type Days, isMovable, matching, noPosts, type Planned, planOf } from './scheduled-posts.ts'
import { CalendarSide, DayPanel } from './side-panel.tsx'
import { CalendarBar } from './toolbar.tsx'
import { Week } from './week.tsx'

const none: Days = new Map()

/** What stands beside the calendar, by its name in the address: one at a time. */
const beside = { post: '', list: '', late: '', wrong: '', event: '' }

/** What goes out when: by month, week, day, or as a list. */
export function Calendar() {
  const { search, isPending } = useAddress()
  const stretch = useStretch(search)
  const { view, shown, today, lens } = stretch
  const asked = useAsked(search, stretch)
  const { data, error, refetch, isPlaceholderData } = useCall('POST /calendar', asked)
  const wanted = useDeferredValue(useWanted(search))
  const all = useMemo(() => (data ? planOf(data, lens) : noPosts), [data, lens])
  const posts = useMemo(() => matching(all, wanted), [all, wanted])
  const kept = useRef(none)
  const days = useMemo(() => {
    kept.current = byDay(posts, kept.current)
    return kept.current
  }, [posts])
  const events = useMemo(() => eventsByDay(data?.CustomEvents ?? [], lens.wall), [data, lens])
  const selection = useSelection(posts)
  const { ids: selected, chosen } = selection

  const openId = search.get('post') ?? ''
  const open = all.find(({ id }) => id === openId)
  const [cursor, setCursor] = useState<Day>(shown)
  const [moving, setMoving] = useState<Planned>()
  const [together, setTogether] = useState<{ what: Together; posts: readonly Planned[] }>()
  const area = useRef<HTMLDivElement>(null)
  const mayMove = useMay()('contribute')
  const move = useMove(asked)
  const moveTo = useCallback(
    (post: Planned, day: Day, minutes: number) =>
      isMovable(post)
        ? move(post, lens.moment(wallOf(day) + minutes * 60_000))
        : say(words.calendar.fixed, { kind: 'problem' }),
    [move, lens],
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
  const close = () => changeSearch(beside)
  const ask = (what: Together, those: readonly Planned[]) => {
    const open = those.filter(isMovable)
    if (open.length < those.length) say(words.calendar.fixedSeveral(those.length - open.length), { kind: 'problem' })
    if (open.length > 0) setTogether({ what, posts: open })
  }

  const askToMove = (post: Planned | undefined) => {
    if (chosen.length > 0) ask('move', chosen)
    else if (post) isMovable(post) ? setMoving(post) : say(words.calendar.fixed)
  }

  const step = useCallback(
    (by: number) => {
      const next = stepFrom(shown, view, by)
      setCursor(next)
      changeSearch({ ...beside, day: next })
    },
    [shown, view],
  )
  const showToday = useCallback(() => {
    setCursor(today)
    changeSearch({ day: '' })
  }, [today])
  useCalendarKeys({
    step,
    showToday,
    cursor,
    chosen: () => postOf((document.activeElement as HTMLElement | null)?.dataset.post) ?? open,
    onMove: mayMove ? askToMove : undefined,
    onSelect: ({ id }) => selection.toggle(id),
    onDelete: (post) => (chosen.length > 0 ? ask('delete', chosen) : post && ask('delete', [post])),
    onClose: () => (Object.keys(beside).some((name) => search.get(name)) ? close() : selection.clear()),
  })

  /** Arrows go from day to day, Enter into a day, then arrows from post to post; with Alt they move the post. */
  const press = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key]
    const chip = target.closest<HTMLElement>('.chip, .day-rest, .event-chip')
    if (chip && event.altKey && by && mayMove) {
      const post = postOf(chip.dataset.post)
      if (post && selected.has(post.id)) void moveTogether(asked, chosen.filter(isMovable), by)
      else if (post) moveTo(post, addDays(post.day, by), post.minutes)
      return event.preventDefault()
    }
    if (chip && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const next = event.key === 'ArrowDown' ? chip.nextElementSibling : chip.previousElementSibling
      if (next instanceof HTMLButtonElement) next.focus()
      return event.preventDefault()
    }
    if (chip && event.key === 'Escape' && view === 'month') {
      chip.closest('[data-day]')?.querySelector<HTMLElement>('.day-head')?.focus()
      return event.preventDefault()
    }
    if (chip || view !== 'month' || !target.matches('.day-head')) return
    if (by) {
      const next = addDays(cursor, by)
      setCursor(next)
      if (!stretch.days.includes(next)) changeSearch({ day: next })
      return event.preventDefault()
    }
    const first = target.closest('[data-day]')?.querySelector<HTMLElement>('.chip')
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
    else if (post) changeSearch({ ...beside, post })
    else if (eventId) changeSearch({ ...beside, event: eventId })
    else if (rest) {
      const hour = rest.dataset.hour ? `T${rest.dataset.hour}` : ''
      changeSearch({ ...beside, list: `${rest.dataset.rest}${hour}` })
    }
  }

  const campaigns = data?.Campaigns ?? {}
  const shared = { today, days, campaigns, openId, selected, events }
  return (
    <>
      <CalendarBar
        {...{ view, shown, search, posts, step, showToday, cursor }}
        campaigns={campaigns}
        isAll={data?.IsAll !== 0}
        isLoaded={data !== undefined}
      />
      <div className="calendar" data-pending={isPending || isPlaceholderData || undefined}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: what is pressed in it are buttons; they are heard here, once for all */}
        <div className="calendar-area" ref={area} onClick={click} onKeyDown={press}>
          {chosen.length > 0 ? (
            <SelectionBar chosen={chosen} onAsk={(what) => ask(what, chosen)} onClear={selection.clear} />
          ) : (
            <LateBar />
          )}
          {error && !data ? (
            <Problem {...told(error)} onAgain={() => void refetch()} />
          ) : !data ? (
            <Waiting />
          ) : view === 'month' ? (
            <>
              <Month {...shared} weeks={stretch.weeks} shown={shown} cursor={cursor} />
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
            <Week {...shared} shown={stretch.days} />
          )}
        </div>
        <CalendarSide
          {...{ search, open, days, events, selected }}
          answer={data}
          onPress={press}
          onClick={click}
          onMoveOpen={() => setMoving(open)}
          onMove={move}
          onSelect={selection.toggle}
          onDelete={() => open && ask('delete', [open])}
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
      {together && (
        <TogetherDialog
          {...together}
          asked={asked}
          onClose={() => setTogether(undefined)}
          onDone={together.what === 'delete' ? () => close() : selection.clear}
        />
      )}
    </>
  )
}
