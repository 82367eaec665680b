import { memo } from 'react'
import { now } from '../../../../time/days.ts'
import { DayField, TimeField } from '../../../../ui/inputs/day-field.tsx'
import { Segments } from '../../../../ui/inputs/segments.tsx'
import { Icon } from '../../../../ui/marks/icons.tsx'
import { useCalls } from '../../../../wire/queries.ts'
import { dayAndClock, readersZone } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import { type Change, type Composition, momentAt, type Profile } from '../composition.ts'

interface WhenFieldsProps extends Pick<Composition, 'when' | 'day' | 'time'> {
  /** Those it is to be published on. */
  profiles: readonly Profile[]
  change: Change
}

/** When it goes out: now, at a time of the reader's zone, or at the next free places of the profiles' queues. */
export const WhenFields = memo(({ when, day, time, profiles, change }: WhenFieldsProps) => {
  const at = momentAt({ day, time })
  const zone = readersZone()
  return (
    <section className="when" aria-label={words.composer.when}>
      <Segments
        label={words.composer.when}
        value={when}
        options={(['now', 'at', 'queue'] as const).map((value) => ({ value, label: words.composer.whens[value] }))}
        onChange={(value) => change({ when: value })}
      />
      {when === 'at' && (
        <div className="when-fields">
          <DayField
            label={words.composer.day}
            value={day}
            onChange={(value) => change({ day: value })}
            problem={day ? undefined : words.composer.dayMissing}
          />
          <TimeField label={words.composer.time} value={time} onChange={(value) => change({ time: value })} />
        </div>
      )}
      {when === 'at' && (
        <p className="quiet when-zone">
          <Icon name="globe" /> {zone}
        </p>
      )}
      {when === 'at' && at?.isSkipped && (
        <p className="when-warning" role="alert">
          {words.calendar.skipped(time, zone, at.real)}
        </p>
      )}
      {when === 'at' && at && at.moment < now() && (
        <p className="when-warning" role="alert">
          {words.composer.past}
        </p>
      )}
      {when === 'queue' && <Places profiles={profiles} />}
    </section>
  )
})

/** The next free place of each profile, as it is at this moment. */
function Places({ profiles }: { profiles: readonly Profile[] }) {
  const answers = useCalls(
    'GET /credential/{id}/free-slots',
    profiles.map(({ Id }) => ({ id: Id, count: 1 })),
  )
  if (profiles.length === 0) return <p className="quiet">{words.composer.queueNeedsProfiles}</p>
  return (
    <ul className="when-places">
      {profiles.map(({ Id, DisplayName }, index) => {
        const answer = answers[index]
        const [slot] = answer?.Slots ?? []
        return (
          <li key={Id} data-none={answer?.HasQueue === 0 || undefined}>
            <span dir="auto">{DisplayName}</span>
            <span className="number">
              {!answer ? words.ui.loading : slot !== undefined ? dayAndClock(slot * 1000) : words.composer.noQueue}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
