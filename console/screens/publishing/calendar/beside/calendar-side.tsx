import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import { now } from '../../../../time/days.ts'
import { type EventsByDay, noEvents } from '../event.ts'
import { LatePanel } from '../late-bar.tsx'
import { type Answer, type Days, noPosts, type Planned } from '../plan.ts'
import { DayPanel } from './day-panel.tsx'
import { EventDialog, EventPanel } from './event-panel.tsx'
import { Peek } from './peek.tsx'
import { WrongPanel } from './wrong-panel.tsx'

interface SideProps {
  search: URLSearchParams
  open: Planned | undefined
  answer: Answer | undefined
  days: Days
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

/** What stands beside the calendar: a post, an event, a day, or what waits for a person. */
export function CalendarSide(props: SideProps) {
  const { search, open, answer, days, events, selected, onClose } = props
  const [isEditing, setIsEditing] = useState(false)
  const of = (name: string) => search.get(name) ?? ''
  const list = of('list')
  const openId = of('post')
  if (openId)
    return (
      <Peek
        key={openId}
        id={openId}
        planned={open}
        answer={answer}
        onMove={props.onMoveOpen}
        onSelect={() => props.onSelect(openId)}
        onDelete={props.onDelete}
        onClose={onClose}
      />
    )
  if (of('late')) return <LatePanel onMove={props.onMove} onClose={onClose} />
  if (of('wrong')) return <WrongPanel profiles={answer?.Credentials ?? {}} onClose={onClose} />
  if (of('event') && answer) {
    const event = answer.CustomEvents.find(({ ID }) => ID === of('event'))
    return (
      <>
        <EventPanel key={of('event')} event={event} onEdit={() => setIsEditing(true)} onClose={onClose} />
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
    // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed in it are buttons
    <div className="calendar-side" onClick={props.onClick} onKeyDown={props.onPress}>
      <DayPanel
        day={day}
        posts={inHour(days.get(day) ?? noPosts, list.slice(11))}
        events={list.length > 10 ? noEvents : (events.get(day) ?? noEvents)}
        campaigns={answer?.Campaigns ?? {}}
        openId={openId}
        selected={selected}
        onClose={onClose}
      />
    </div>
  )
}

const inHour = (posts: readonly Planned[], hour: string) =>
  hour === '' ? posts : posts.filter(({ minutes }) => Math.floor(minutes / 60) === Number(hour))
