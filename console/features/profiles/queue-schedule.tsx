import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { queryClient, queryKey, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatDay } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { TimeField } from '@/ui/field.tsx'
import { ToggleChip } from '@/ui/filters.tsx'
import { Icon } from '@/ui/icons.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './profiles.module.css'

type Slots = Body<'GET /credential/{id}/queue-slots'>
type Slot = Slots['Items'][number]

/** Numbered as in the API: 0 is Sunday. Shown from Monday on. */
const weekdays = [1, 2, 3, 4, 5, 6, 0] as const
/** A Sunday: adding a weekday's number gives a date with its name. */
const sunday = Date.UTC(2026, 2, 1)
const day = 24 * 60 * 60 * 1000
const nameOf = (weekday: number, length: 'short' | 'long') => formatDay(sunday + weekday * day, { weekday: length })

/** The weekly queue slots of a profile, a column for each day. Changes are optimistic. */
export function QueueSchedule({ id }: { id: string }) {
  const may = useMay()
  const { data } = useApiQuery('GET /credential/{id}/queue-slots', { id }, { keepPrevious: false })
  const [time, setTime] = useState('09:00')
  const [days, setDays] = useState<readonly number[]>([1, 2, 3, 4, 5])
  const key = queryKey('GET /credential/{id}/queue-slots', { id })
  const save = useApiMutation('PUT /credential/{id}/queue-slots', {
    invalidates: ['GET /credential/{id}/queue-slots'],
    optimistic({ slots }) {
      const before = queryClient.getQueryData<Slots>(key)
      const items = slots.map(({ weekday, time }) => ({ Weekday: Number(weekday), Time: String(time) }))
      if (before) queryClient.setQueryData<Slots>(key, { ...before, Items: items })
      return () => queryClient.setQueryData(key, before)
    },
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  if (!data) return null
  const { Items, Timezone } = data
  const saveSlots = (items: readonly Slot[]) =>
    save.mutate({ id, slots: items.map(({ Weekday, Time }) => ({ weekday: Weekday, time: Time })) })
  const add = () => {
    const fresh = days
      .filter((weekday) => !Items.some((slot) => slot.Weekday === weekday && slot.Time === time))
      .map((Weekday) => ({ Weekday, Time: time }))
    if (fresh.length > 0) saveSlots([...Items, ...fresh])
  }
  const mayChange = may('approve')
  return (
    <section className={styles.queue}>
      <h3 className={layoutStyles.panelTitle}>{texts.profiles.queue}</h3>
      <p className="muted">{Items.length > 0 ? texts.profiles.queueWhy(Timezone) : texts.profiles.queueEmpty}</p>
      {Items.length > 0 && (
        <ul data-testid="queue-week" className={styles.queueWeek}>
          {weekdays.map((weekday) => (
            <li key={weekday}>
              <span className={styles.queueDay}>{nameOf(weekday, 'short')}</span>
              <ul>
                {Items.filter((slot) => slot.Weekday === weekday)
                  .toSorted((one, other) => one.Time.localeCompare(other.Time))
                  .map((slot) => (
                    <li key={slot.Time}>
                      {mayChange ? (
                        <button
                          type="button"
                          data-testid="queue-time"
                          className={styles.queueTime}
                          onClick={() => saveSlots(Items.filter((one) => one !== slot))}
                        >
                          {slot.Time}
                          <span className="visually-hidden">
                            {' '}
                            {texts.profiles.removeTime(nameOf(weekday, 'long'), slot.Time)}
                          </span>
                          <Icon name="close" />
                        </button>
                      ) : (
                        <span data-testid="queue-time" className={styles.queueTime}>
                          {slot.Time}
                        </span>
                      )}
                    </li>
                  ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <div className={styles.queueAdding}>
          <fieldset className={styles.queueDays}>
            <legend className="visually-hidden">{texts.profiles.days}</legend>
            {weekdays.map((weekday) => (
              <ToggleChip
                key={weekday}
                isOn={days.includes(weekday)}
                onChange={(isOn) => setDays(isOn ? [...days, weekday] : days.filter((one) => one !== weekday))}
              >
                {nameOf(weekday, 'short')}
              </ToggleChip>
            ))}
          </fieldset>
          <TimeField label={texts.profiles.time} value={time} onChange={setTime} />
          <Button icon="plus" busy={save.isPending} onClick={add}>
            {texts.profiles.addTime}
          </Button>
        </div>
      )}
    </section>
  )
}
