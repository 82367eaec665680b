import { type CSSProperties, useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { addDays, type Day, dayAt, dayLength, parseTimestamp, timeZoneClock, wallTimeOf } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { MultiCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { DayField, Field, TextArea } from '@/ui/field.tsx'
import { Detail, Panel } from '@/ui/layout.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './calendar.module.css'
import { dayName } from './date-range.ts'
import type { CalendarData } from './scheduled-posts.ts'

export type CalendarEvent = CalendarData['CustomEvents'][number]
export type EventsByDay = ReadonlyMap<Day, readonly CalendarEvent[]>
export const noEvents: readonly CalendarEvent[] = []

/** Longest duration that is drawn. */
const mostDays = 92

/** Events by day in the user's time zone. */
export function eventsByDay(events: readonly CalendarEvent[], wallTime: (moment: number) => number): EventsByDay {
  const days = new Map<Day, CalendarEvent[]>()
  for (const event of events) {
    const [first, last] = [event.StartDateTime, event.EndDateTime].map((moment) =>
      Math.floor(wallTime(parseTimestamp(moment)) / dayLength),
    ) as [number, number]
    for (let day = first; day <= Math.min(last, first + mostDays); day++) {
      const name = new Date(day * dayLength).toISOString().slice(0, 10)
      days.set(name, [...(days.get(name) ?? []), event])
    }
  }
  return days
}

/** First and last day of the event. */
function daysOfEvent({ StartDateTime, EndDateTime }: CalendarEvent): [Day, Day] {
  const [from, until] = [parseTimestamp(StartDateTime), parseTimestamp(EndDateTime)]
  const clock = timeZoneClock(userTimeZone(), from, until)
  return [dayAt(clock, from), dayAt(clock, until)]
}

/** From the start of one day to the end of another, in seconds. */
function momentsOfDays(first: Day, last: Day): { startDate: number; endDate: number } {
  const clock = timeZoneClock(userTimeZone(), wallTimeOf(first) - dayLength, wallTimeOf(last) + 2 * dayLength)
  const seconds = (day: Day) => Math.floor(clock.moment(wallTimeOf(day)) / 1000)
  return { startDate: seconds(first), endDate: seconds(addDays(last, 1)) - 1 }
}

const htmlEntities: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
}

/** Plain text of a description with simple formatting. */
const plainText = (html: string) =>
  html
    .replace(/<br ?\/?>|<\/(?:p|li|blockquote)>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => htmlEntities[name] ?? '')
    .trim()

/** The inverse of plainOf. */
const htmlOf = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br />')

const onError = (failure: unknown) => toast(errorDetails(failure).message, { kind: 'problem' })

interface EventPanelProps {
  event: CalendarEvent | undefined
  onEdit: () => void
  onClose: () => void
}

/** A calendar event that is not a post: a trade fair, a holiday, a launch. */
export function EventPanel({ event, onEdit, onClose }: EventPanelProps) {
  const mayChange = useMay()('contribute')
  const t = texts.calendar
  const make = useApiMutation('v2 POST /calendar/custom-events', { invalidates: ['POST /calendar'], onError })
  const remove = useApiMutation('v2 DELETE /calendar/custom-events', {
    invalidates: ['POST /calendar'],
    onSuccess: () => {
      if (event)
        toast(t.eventDeleted(event.Title), { action: { label: texts.ui.undo, run: () => make.mutate(draftOf(event)) } })
      onClose()
    },
    onError,
  })
  if (!event)
    return (
      <Panel title={t.event} onClose={onClose}>
        <EmptyState title={t.noEvent} />
      </Panel>
    )
  const [first, last] = daysOfEvent(event)
  return (
    <Panel
      title={<span dir="auto">{event.Title}</span>}
      onClose={onClose}
      actions={
        mayChange && (
          <>
            <Button onClick={onEdit}>{t.edit}</Button>
            <Button
              variant="danger"
              icon="trash"
              busy={remove.isPending}
              onClick={() => remove.mutate({ id: event.ID })}
            >
              {t.delete}
            </Button>
          </>
        )
      }
    >
      <dl className={styles.postDetails}>
        <Detail name={t.when}>{first === last ? dayName(first) : `${dayName(first)} – ${dayName(last)}`}</Detail>
        {event.Campaigns.length > 0 && (
          <Detail name={t.campaign}>
            <span className={styles.postSwatch} style={{ background: event.Color } as CSSProperties} />{' '}
            <span dir="auto">{event.Campaigns.map(({ Name }) => Name).join(', ')}</span>
          </Detail>
        )}
        {event.Description && (
          <Detail name={t.about}>
            <span data-testid="post-text" className={styles.postText} dir="auto">
              {plainText(event.Description)}
            </span>
          </Detail>
        )}
      </dl>
    </Panel>
  )
}

const draftOf = (event: CalendarEvent) => ({
  title: event.Title,
  description: event.Description,
  startDate: event.StartDateTime,
  endDate: event.EndDateTime,
  campaignIds: event.Campaigns.map(({ Id }) => Id),
})

interface EventDialogProps {
  /** The event to change; undefined creates one. */
  event: CalendarEvent | undefined
  day: Day
  onClose: () => void
}

export function EventDialog({ event, day, onClose }: EventDialogProps) {
  const t = texts.calendar
  const [first, last] = event ? daysOfEvent(event) : [day, day]
  const [title, setTitle] = useState(event?.Title ?? '')
  const [from, setFrom] = useState<Day | ''>(first)
  const [until, setUntil] = useState<Day | ''>(last)
  const [about, setAbout] = useState(plainText(event?.Description ?? ''))
  const [campaignIds, setCampaignIds] = useState(event?.Campaigns.map(({ Id }) => Id) ?? [])
  const [isDeleteOpen, setIsDeleteOpen] = useState(false)
  const { data } = useApiQuery('GET /campaign', { statuses: ['active', 'paused'], _count: 100, _order: 'name,1' })
  const how = {
    invalidates: ['POST /calendar'] as const,
    onSuccess: () => {
      toast(t.eventSaved(title))
      onClose()
    },
    onError,
  }
  const make = useApiMutation('v2 POST /calendar/custom-events', how)
  const change = useApiMutation('v2 PUT /calendar/custom-events', how)
  const isBackwards = from !== '' && until !== '' && until < from
  const submit = () => {
    setIsDeleteOpen(true)
    if (title.trim() === '' || from === '' || isBackwards) return
    const draft = { title, description: htmlOf(about), ...momentsOfDays(from, until || from), campaignIds }
    if (event) change.mutate({ id: event.ID, ...draft })
    else make.mutate(draft)
  }
  return (
    <Dialog title={event ? t.editEvent : t.newEvent} onClose={onClose} onSubmit={submit}>
      <Field
        label={t.eventTitle}
        value={title}
        maxLength={80}
        dir="auto"
        error={isDeleteOpen && title.trim() === '' ? t.titleMissing : undefined}
        onChange={setTitle}
      />
      <div className={styles.moveFields}>
        <DayField label={t.from} value={from} onChange={setFrom} error={from === '' ? t.dayMissing : undefined} />
        <DayField label={t.until} value={until} onChange={setUntil} error={isBackwards ? t.backwards : undefined} />
      </div>
      <MultiCombobox
        label={t.campaigns}
        hint={t.eventCampaigns}
        options={[
          ...(event?.Campaigns ?? []).map(({ Id, Name }) => ({ value: Id, label: Name })),
          ...(data?.Items ?? [])
            .filter(({ Id }) => !event?.Campaigns.some((one) => one.Id === Id))
            .map(({ Id, Name }) => ({ value: Id, label: Name })),
        ]}
        values={campaignIds}
        onChange={setCampaignIds}
      />
      <TextArea label={t.about} value={about} maxLength={2000} rows={3} onChange={setAbout} />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button type="submit" variant="primary" busy={make.isPending || change.isPending}>
          {event ? t.saveEvent : t.makeEvent}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
