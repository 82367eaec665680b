import { type KeyboardEvent, type MouseEvent, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { changeSearch, useAddress } from '../../../shell/router.ts'
import { addDays, type Day, momentOf, now, wallOf } from '../../../time/days.ts'
import { dayLength } from '../../../time/zone-lens.ts'
import { Problem, Waiting } from '../../../ui/states.tsx'
import { say } from '../../../ui/toasts.tsx'
import { told, useCall } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { Agenda } from './agenda.tsx'
import { CalendarBar } from './calendar-bar.tsx'
import { useCalendarKeys } from './calendar-keys.ts'
import { DayPanel } from './day-panel.tsx'
import { useDrag } from './drag.ts'
import { LateBar, LatePanel } from './late-bar.tsx'
import { Month } from './month.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { useMove } from './moving.ts'
import { Peek } from './peek.tsx'
import { byDay, type Days, isMovable, matching, noPosts, type Planned, planOf } from './plan.ts'
import { stepFrom, stretchOf, viewOf } from './stretch.ts'
import { Week } from './week.tsx'

const none: Days = new Map()

/** What goes out when: by month, week, day, or as a list. */
export function Calendar() {
  const { search, isPending } = useAddress()
  const stretch = useStretch(search)
  const { view, shown, today, lens } = stretch
  const find = search.get('find') ?? ''
  const asked = useMemo(
    () => ({ from: stretch.from / 1000, until: stretch.until / 1000, ...(find && { find }) }),
    [stretch.from, stretch.until, find],
  )
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

  const openId = search.get('post') ?? ''
  const open = all.find(({ id }) => id === openId)
  const [cursor, setCursor] = useState<Day>(shown)
  const [moving, setMoving] = useState<Planned>()
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

  const step = useCallback(
    (by: number) => {
      const next = stepFrom(shown, view, by)
      setCursor(next)
      changeSearch({ day: next, post: '', list: '' })
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
    onMove: mayMove ? (post) => (isMovable(post) ? setMoving(post) : say(words.calendar.fixed)) : undefined,
  })

  /** Arrows go from day to day, Enter into a day, then arrows from post to post; with Alt they move the post. */
  const press = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key]
    const chip = target.closest<HTMLElement>('.chip, .day-rest')
    if (chip && event.altKey && by && mayMove) {
      const post = postOf(chip.dataset.post)
      if (post) moveTo(post, addDays(post.day, by), post.minutes)
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
    const chip = target.closest<HTMLElement>('[data-post]')
    const rest = target.closest<HTMLElement>('[data-rest]')
    if (chip) changeSearch({ post: chip.dataset.post ?? '', list: '', late: '' })
    else if (rest) {
      const hour = rest.dataset.hour ? `T${rest.dataset.hour}` : ''
      changeSearch({ list: `${rest.dataset.rest}${hour}`, post: '', late: '' })
    }
  }

  const list = search.get('list') ?? ''
  const close = () => changeSearch({ post: '', list: '', late: '' })
  const campaigns = data?.Campaigns ?? {}
  const shared = { today, days, campaigns, openId }
  return (
    <>
      <CalendarBar
        {...{ view, shown, search, posts, step, showToday, cursor }}
        campaigns={data?.Campaigns ?? {}}
        isAll={data?.IsAll !== 0}
        isLoaded={data !== undefined}
      />
      <div className="calendar" data-pending={isPending || isPlaceholderData || undefined}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: what is pressed in it are buttons; they are heard here, once for all */}
        <div className="calendar-area" ref={area} onClick={click} onKeyDown={press}>
          <LateBar />
          {error && !data ? (
            <Problem {...told(error)} onAgain={() => void refetch()} />
          ) : !data ? (
            <Waiting />
          ) : view === 'month' ? (
            <>
              <Month {...shared} weeks={stretch.weeks} shown={shown} events={events} cursor={cursor} />
              <DayPanel day={cursor} posts={days.get(cursor) ?? noPosts} {...{ campaigns, openId }} isBelow />
            </>
          ) : view === 'list' ? (
            <Agenda {...{ posts, today, campaigns, openId }} />
          ) : (
            <Week {...shared} shown={stretch.days} />
          )}
        </div>
        {openId ? (
          <Peek key={openId} id={openId} planned={open} answer={data} onMove={() => setMoving(open)} onClose={close} />
        ) : search.get('late') ? (
          <LatePanel onClose={close} />
        ) : (
          list && (
            // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed in it are buttons
            <div className="calendar-side" onClick={click} onKeyDown={press}>
              <DayPanel
                day={list.slice(0, 10)}
                posts={inHour(days.get(list.slice(0, 10)) ?? noPosts, list.slice(11))}
                {...{ campaigns, openId }}
                onClose={close}
              />
            </div>
          )
        )}
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
    </>
  )
}

const inHour = (posts: readonly Planned[], hour: string) =>
  hour === '' ? posts : posts.filter(({ minutes }) => Math.floor(minutes / 60) === Number(hour))

/** Which days the address shows, and between which moments they lie. */
function useStretch(search: URLSearchParams) {
  const [view, day] = [viewOf(search.get('view')), search.get('day') ?? '']
  return useMemo(() => stretchOf(view, day, now()), [view, day])
}

function useWanted(search: URLSearchParams) {
  const [networks, statuses, campaigns] = ['network', 'status', 'campaign'].map((name) => search.get(name) ?? '')
  return useMemo(() => {
    const several = (text = '') => text.split(',').filter(Boolean)
    return { networks: several(networks), statuses: several(statuses), campaigns: several(campaigns) }
  }, [networks, statuses, campaigns])
}

interface Event {
  Title: string
  StartDateTime: string
  EndDateTime: string
}

/** The titles of what lies on each day, the longest stretch a quarter of a year. */
function eventsByDay(events: readonly Event[], wall: (moment: number) => number) {
  const days = new Map<Day, string[]>()
  for (const { Title, StartDateTime, EndDateTime } of events) {
    const [first, last] = [StartDateTime, EndDateTime].map((moment) =>
      Math.floor(wall(momentOf(moment)) / dayLength),
    ) as [number, number]
    for (let day = first; day <= Math.min(last, first + 92); day++) {
      const name = new Date(day * dayLength).toISOString().slice(0, 10)
      days.set(name, [...(days.get(name) ?? []), Title])
    }
  }
  return days
}
