import { useState } from 'react'
import { useApiQuery } from '@/api/queries.ts'
import { userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { addDays, type Day, dayLength, timeZoneClock, wallTimeOf } from '@/time/days.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { DayField, TimeField } from '@/ui/field.tsx'
import * as styles from './calendar.module.css'
import { assignCampaign, type CalendarQuery, deletePosts, movePosts } from './reschedule.ts'
import { clockOf, type ScheduledPost } from './scheduled-posts.ts'

interface MoveProps {
  post: Pick<ScheduledPost, 'day' | 'minutes' | 'text'>
  onMove: (at: number) => void
  onClose: () => void
}

/** Reschedules without dragging. Warns if the time is skipped by a daylight saving change. */
export function MoveDialog({ post, onMove, onClose }: MoveProps) {
  const [day, setDay] = useState<Day | ''>(post.day)
  const [time, setTime] = useState(clockOf(post.minutes))
  const zone = userTimeZone()
  const wallTime = day && time ? wallTimeOf(day) + minutesOf(time) * 60_000 : undefined
  const reference = wallTime ?? wallTimeOf(post.day)
  const clock = timeZoneClock(zone, reference - 2 * dayLength, reference + 2 * dayLength)
  const at = wallTime === undefined ? undefined : clock.moment(wallTime)
  const actual = at === undefined ? undefined : clock.wall(at)
  const isSkipped = actual !== wallTime
  return (
    <Dialog title={texts.calendar.moveTitle} onClose={onClose} onSubmit={() => at !== undefined && onMove(at)}>
      <p className={`muted ${styles.moveText}`} dir="auto">
        {post.text}
      </p>
      <div className={styles.moveFields}>
        <DayField
          label={texts.calendar.day}
          value={day}
          onChange={setDay}
          error={day ? undefined : texts.calendar.dayMissing}
        />
        <TimeField label={texts.calendar.time} value={time} onChange={setTime} hint={zone} />
      </div>
      {isSkipped && actual !== undefined && (
        <p className={styles.moveSkipped} role="alert">
          {texts.calendar.skipped(time, zone, clockOf(Math.floor((actual % dayLength) / 60_000)))}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.calendar.keepIt}</Button>
        <Button
          type="submit"
          variant="primary"
          disabledReason={at === undefined ? texts.calendar.dayMissing : undefined}
        >
          {texts.calendar.move}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

export type BulkAction = 'move' | 'campaign' | 'delete'

interface SelectionBarProps {
  chosen: readonly ScheduledPost[]
  onAsk: (what: BulkAction) => void
  onClear: () => void
}

export const SelectionBar = ({ chosen, onAsk, onClear }: SelectionBarProps) => (
  <div
    data-testid="selection-bar"
    className={styles.selectionBar}
    role="toolbar"
    aria-label={texts.calendar.selected(chosen.length)}
  >
    <strong>{texts.calendar.selected(chosen.length)}</strong>
    <Button shortcut="m" onClick={() => onAsk('move')}>
      {texts.calendar.moveTo}
    </Button>
    <Button onClick={() => onAsk('campaign')}>{texts.calendar.giveTo}</Button>
    <Button variant="danger" icon="trash" onClick={() => onAsk('delete')}>
      {texts.calendar.delete}
    </Button>
    <IconButton icon="close" label={texts.calendar.clearSelection} onClick={onClear} />
  </div>
)

interface BulkActionProps {
  what: BulkAction
  /** At least one, in order of time. */
  posts: readonly ScheduledPost[]
  asked: CalendarQuery
  onClose: () => void
  onDone: () => void
}

/** Asks for the parameters of a bulk action, then runs it. */
export function BulkActionDialog({ what, posts, asked, onClose, onDone }: BulkActionProps) {
  const end = (work: Promise<void>) => {
    onClose()
    void work.then(onDone)
  }
  if (what === 'delete')
    return (
      <Dialog
        title={texts.calendar.deleteSeveralTitle(posts.length)}
        onClose={onClose}
        onSubmit={() => end(deletePosts(posts))}
      >
        <p>{texts.calendar.deleteSeveralWhy(posts.length)}</p>
        <DialogActions>
          <Button onClick={onClose}>{texts.calendar.keepThem(posts.length)}</Button>
          <Button type="submit" variant="danger">
            {texts.calendar.delete}
          </Button>
        </DialogActions>
      </Dialog>
    )
  if (what === 'campaign')
    return <AssignCampaignDialog posts={posts} onClose={onClose} onAssign={(to) => end(assignCampaign(posts, to))} />
  return <MovePostsDialog posts={posts} onClose={onClose} onMove={(days) => end(movePosts(asked, posts, days))} />
}

interface MovingProps {
  posts: readonly ScheduledPost[]
  onClose: () => void
  onMove: (days: number) => void
}

function MovePostsDialog({ posts, onClose, onMove }: MovingProps) {
  const first = posts[0]?.day ?? ''
  const [day, setDay] = useState<Day | ''>(addDays(first, 1))
  const days = day === '' ? 0 : Math.round((wallTimeOf(day) - wallTimeOf(first)) / dayLength)
  return (
    <Dialog
      title={texts.calendar.moveSeveralTitle(posts.length)}
      onClose={onClose}
      onSubmit={() => days !== 0 && onMove(days)}
    >
      <p>{texts.calendar.moveSeveralWhy}</p>
      <DayField
        label={texts.calendar.firstDay}
        value={day}
        onChange={setDay}
        hint={texts.calendar.byDays(days)}
        error={day ? undefined : texts.calendar.dayMissing}
      />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button type="submit" variant="primary" disabledReason={days === 0 ? texts.calendar.otherDay : undefined}>
          {texts.calendar.move}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface AssignCampaignProps {
  posts: readonly ScheduledPost[]
  onClose: () => void
  onAssign: (campaign: { id: string; name: string }) => void
}

function AssignCampaignDialog({ posts, onClose, onAssign }: AssignCampaignProps) {
  const [id, setId] = useState('')
  const [q, setQ] = useState('')
  const { data } = useApiQuery('GET /campaign', {
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
    <Dialog
      title={texts.calendar.giveTitle(posts.length)}
      onClose={onClose}
      onSubmit={() => chosen && onAssign(chosen)}
    >
      <Combobox label={texts.calendar.campaign} options={options} value={id} onChange={pick} onSearch={setQ} />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button type="submit" variant="primary" disabledReason={chosen ? undefined : texts.calendar.campaignMissing}>
          {texts.calendar.give}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
