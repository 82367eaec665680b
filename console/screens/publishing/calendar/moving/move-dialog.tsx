import { useState } from 'react'
import { type Day, wallOf } from '../../../../time/days.ts'
import { dayLength, zoneLens } from '../../../../time/zone-lens.ts'
import { Button } from '../../../../ui/inputs/button.tsx'
import { DayField, TimeField } from '../../../../ui/inputs/day-field.tsx'
import { Dialog, DialogActions } from '../../../../ui/layers/dialog.tsx'
import { readersZone } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import { clockOf, type Planned } from '../plan.ts'

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
