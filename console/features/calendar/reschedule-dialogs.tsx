import { useState } from 'react'
import { useCall } from '@/api/queries.ts'
import { readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { addDays, type Day, dayLength, wallOf, zoneLens } from '@/time/days.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { DayField, TimeField } from '@/ui/field.tsx'
import { type Asked, deleteTogether, giveTogether, moveTogether } from './reschedule.ts'
import { clockOf, type Planned } from './scheduled-posts.ts'

interface MoveProps {
  post: Pick<Planned, 'day' | 'minutes' | 'text'>
  onMove: (at: number) => void
  onClose: () => void
}

/** The way to another time that needs no dragging. It says when the clock leaves the time out. */
export function MoveDialog({ post, onMove, onClose }: MoveProps) {
  const [day, setDay] = useState<Day | ''>(post.day)
  const [time, setTime] = useState(clockOf(post.minutes))
  const zone = readersZone()
  const wall = day && time ? wallOf(day) + minutesOf(time) * 60_000 : undefined
  const around = wall ?? wallOf(post.day)
  const lens = zoneLens(zone, around - 2 * dayLength, around + 2 * dayLength)
  const at = wall === undefined ? undefined : lens.moment(wall)
  const real = at === undefined ? undefined : lens.wall(at)
  const isSkipped = real !== wall
  return (
    <Dialog title={words.calendar.moveTitle} onClose={onClose} onSubmit={() => at !== undefined && onMove(at)}>
      <p className="quiet move-text" dir="auto">
        {post.text}
      </p>
      <div className="move-fields">
        <DayField
          label={words.calendar.day}
          value={day}
          onChange={setDay}
          problem={day ? undefined : words.calendar.dayMissing}
        />
        <TimeField label={words.calendar.time} value={time} onChange={setTime} hint={zone} />
      </div>
      {isSkipped && real !== undefined && (
        <p className="move-skipped" role="alert">
          {words.calendar.skipped(time, zone, clockOf(Math.floor((real % dayLength) / 60_000)))}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.calendar.keepIt}</Button>
        <Button type="submit" kind="main" refuses={at === undefined ? words.calendar.dayMissing : undefined}>
          {words.calendar.move}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

export type Together = 'move' | 'campaign' | 'delete'

interface SelectionBarProps {
  chosen: readonly Planned[]
  onAsk: (what: Together) => void
  onClear: () => void
}

/** What can be done with all posts that are selected. */
export const SelectionBar = ({ chosen, onAsk, onClear }: SelectionBarProps) => (
  <div className="selection-bar" role="toolbar" aria-label={words.calendar.selected(chosen.length)}>
    <strong>{words.calendar.selected(chosen.length)}</strong>
    <Button keys="m" onClick={() => onAsk('move')}>
      {words.calendar.moveTo}
    </Button>
    <Button onClick={() => onAsk('campaign')}>{words.calendar.giveTo}</Button>
    <Button kind="danger" icon="trash" onClick={() => onAsk('delete')}>
      {words.calendar.delete}
    </Button>
    <IconButton icon="close" label={words.calendar.clearSelection} onClick={onClear} />
  </div>
)

interface TogetherProps {
  what: Together
  /** At least one; the first in time comes first. */
  posts: readonly Planned[]
  asked: Asked
  onClose: () => void
  onDone: () => void
}

/** Asks what is needed to do something with all of them, then does it. */
export function TogetherDialog({ what, posts, asked, onClose, onDone }: TogetherProps) {
  const end = (work: Promise<void>) => {
    onClose()
    void work.then(onDone)
  }
  if (what === 'delete')
    return (
      <Dialog
        title={words.calendar.deleteSeveralTitle(posts.length)}
        onClose={onClose}
        onSubmit={() => end(deleteTogether(posts))}
      >
        <p>{words.calendar.deleteSeveralWhy(posts.length)}</p>
        <DialogActions>
          <Button onClick={onClose}>{words.calendar.keepThem(posts.length)}</Button>
          <Button type="submit" kind="danger">
            {words.calendar.delete}
          </Button>
        </DialogActions>
      </Dialog>
    )
  if (what === 'campaign')
    return <Giving posts={posts} onClose={onClose} onGive={(to) => end(giveTogether(posts, to))} />
  return <MovingSeveral posts={posts} onClose={onClose} onMove={(days) => end(moveTogether(asked, posts, days))} />
}

interface MovingProps {
  posts: readonly Planned[]
  onClose: () => void
  onMove: (days: number) => void
}

function MovingSeveral({ posts, onClose, onMove }: MovingProps) {
  const first = posts[0]?.day ?? ''
  const [day, setDay] = useState<Day | ''>(addDays(first, 1))
  const days = day === '' ? 0 : Math.round((wallOf(day) - wallOf(first)) / dayLength)
  return (
    <Dialog
      title={words.calendar.moveSeveralTitle(posts.length)}
      onClose={onClose}
      onSubmit={() => days !== 0 && onMove(days)}
    >
      <p>{words.calendar.moveSeveralWhy}</p>
      <DayField
        label={words.calendar.firstDay}
        value={day}
        onChange={setDay}
        hint={words.calendar.byDays(days)}
        problem={day ? undefined : words.calendar.dayMissing}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button type="submit" kind="main" refuses={days === 0 ? words.calendar.otherDay : undefined}>
          {words.calendar.move}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface GivingProps {
  posts: readonly Planned[]
  onClose: () => void
  onGive: (campaign: { id: string; name: string }) => void
}

function Giving({ posts, onClose, onGive }: GivingProps) {
  const [id, setId] = useState('')
  const [q, setQ] = useState('')
  const { data } = useCall('GET /campaign', {
    statuses: ['active', 'paused', 'complete'] as const,
    _count: 50,
    _order: 'name,1',
    ...(q && { q }),
  })
  const [chosen, setChosen] = useState<{ id: string; name: string }>()
  const options = data?.Items.map(({ Id, Name }) => ({ value: Id, label: Name })) ?? []
  const pick = (value: string) => {
    setId(value)
    setChosen({ id: value, name: options.find((option) => option.value === value)?.label ?? '' })
  }
  return (
    <Dialog title={words.calendar.giveTitle(posts.length)} onClose={onClose} onSubmit={() => chosen && onGive(chosen)}>
      <Combobox label={words.calendar.campaign} options={options} value={id} onChange={pick} onFind={setQ} />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button type="submit" kind="main" refuses={chosen ? undefined : words.calendar.campaignMissing}>
          {words.calendar.give}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
