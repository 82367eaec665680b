import { memo, useState } from 'react'
import { errorDetails, useApiMutation, useApiQueries, useApiQuery, useDebounced } from '@/api/queries.ts'
import { formatDateTime, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { navigate } from '@/routes/router.ts'
import { now } from '@/time/days.ts'
import { NetworkIcon, networkName, networks } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { Combobox, MultiCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { DayField, Field, SegmentedControl, TimeField } from '@/ui/field.tsx'
import * as filtersStyles from '@/ui/filters.module.css'
import { Icon } from '@/ui/icons.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as composerStyles from './composer.module.css'
import { type Change, type Composition, momentAt, type Profile, type Tag } from './composition.ts'
import * as styles from './schedule-fields.module.css'

interface ProfileChoiceProps {
  profiles: readonly Profile[]
  chosen: readonly string[]
  change: Change
}

/** Profiles to publish on, by network. Broken profiles show an error with a link to reconnect. */
export const ProfileChoice = memo(({ profiles, chosen, change }: ProfileChoiceProps) => {
  if (profiles.length === 0)
    return (
      <EmptyState
        icon="profiles"
        title={texts.composer.noProfiles}
        action={
          <LinkButton variant="primary" href="/app/profiles">
            {texts.composer.toProfiles}
          </LinkButton>
        }
      >
        {texts.composer.noProfilesWhy}
      </EmptyState>
    )
  const toggle = (profile: Profile) => {
    const { Id, DisplayName, Network } = profile
    if (chosen.includes(Id)) return change({ profiles: chosen.filter((one) => one !== Id) })
    if (isUsable(profile)) return change({ profiles: [...chosen, Id] })
    toast(texts.composer.broken(DisplayName, networkName(Network)), {
      kind: 'problem',
      action: {
        label: texts.composer.lookAtIt,
        run: () => navigate(`/app/profiles/${encodeURIComponent(Id)}`),
      },
    })
  }
  return (
    <fieldset className={composerStyles.profileChoice}>
      <legend>{texts.composer.publishTo}</legend>
      {networks
        .flatMap((network) => profiles.filter(({ Network }) => Network === network))
        .map((profile) => (
          <button
            key={profile.Id}
            type="button"
            data-testid="profile-choice-one"
            className={`${filtersStyles.toggleChip} ${styles.profileChoiceOne}`}
            aria-pressed={chosen.includes(profile.Id)}
            data-broken={!isUsable(profile) || undefined}
            onClick={() => toggle(profile)}
          >
            <NetworkIcon network={profile.Network} label />
            <span dir="auto">{profile.DisplayName}</span>
            {!isUsable(profile) && (
              <>
                <Icon name="warning" />
                <span className="visually-hidden">{texts.composer.isBroken}</span>
              </>
            )}
          </button>
        ))}
    </fieldset>
  )
})

const isUsable = ({ State }: Profile) => State === 'fine' || State === 'ending'

interface PlanFieldsProps extends Pick<Composition, 'campaignId' | 'tags'> {
  change: Change
}

export const CampaignFields = memo(({ campaignId, tags, change }: PlanFieldsProps) => (
  <div className={composerStyles.planFields}>
    <CampaignField value={campaignId} onChange={(id) => change({ campaignId: id })} />
    <TagField chosen={tags} onChange={(next) => change({ tags: next })} />
  </div>
))

/** Active campaigns, searched by name; a missing one can be created inline. */
function CampaignField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [isMaking, setIsMaking] = useState(false)
  const q = useDebounced(typed, 150)
  const { data } = useApiQuery('v2 GET /campaign', { status: 'active', _order: 'name,1', _count: 50, ...(q && { q }) })
  const { data: chosen } = useApiQuery(
    'v2 GET /campaign/{id}',
    { id: value },
    { enabled: value !== '', keepPrevious: false },
  )
  const found = (data?.Items ?? []).map(({ Id, Name }) => ({ value: Id, label: Name }))
  const options =
    chosen && !found.some((option) => option.value === value)
      ? [...(typed ? [] : [{ value, label: chosen.Campaign.Name }]), ...found]
      : found
  // Keep the label of the selected campaign, whatever the search returns.
  const known = chosen && !options.some((option) => option.value === value)
  return (
    <div className={styles.campaignField} data-part="campaign">
      <Combobox
        label={texts.composer.campaign}
        value={value}
        options={known ? [...options, { value, label: chosen.Campaign.Name }] : options}
        onSearch={setTyped}
        onChange={onChange}
        placeholder={texts.composer.chooseCampaign}
      />
      <IconButton icon="plus" label={texts.composer.newCampaign} onClick={() => setIsMaking(true)} />
      {isMaking && <NewCampaign onCreated={onChange} onClose={() => setIsMaking(false)} />}
    </div>
  )
}

function NewCampaign({ onCreated, onClose }: { onCreated: (id: string) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const { mutate, isPending, error } = useApiMutation('v2 POST /campaign', {
    onSuccess: ({ Campaign }) => {
      onCreated(Campaign.Id)
      onClose()
    },
    invalidates: ['v2 GET /campaign'],
  })
  return (
    <Dialog title={texts.composer.newCampaign} onClose={onClose} onSubmit={() => name.trim() && mutate({ name })}>
      <Field
        label={texts.composer.campaignName}
        value={name}
        onChange={setName}
        required
        error={error ? errorDetails(error).message : undefined}
      />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button
          type="submit"
          variant="primary"
          busy={isPending}
          disabledReason={name.trim() ? undefined : texts.composer.campaignNameMissing}
        >
          {texts.composer.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function TagField({ chosen, onChange }: { chosen: readonly Tag[]; onChange: (tags: Tag[]) => void }) {
  const [typed, setTyped] = useState('')
  const q = useDebounced(typed, 150)
  const { data } = useApiQuery('v2 GET /tag', { _count: 100, _order: 'tag,1', ...(q && { q }) })
  const found = (data?.Items ?? []).map(({ Id, Tag }) => ({ id: Id, name: Tag }))
  const all = [...found, ...chosen.filter(({ id }) => !found.some((one) => one.id === id))]
  return (
    <MultiCombobox
      label={texts.composer.tags}
      values={chosen.map(({ id }) => id)}
      options={all.map(({ id, name }) => ({ value: id, label: name }))}
      onSearch={setTyped}
      onChange={(ids) => onChange(all.filter(({ id }) => ids.includes(id)))}
    />
  )
}

interface TimeFieldsProps extends Pick<Composition, 'when' | 'day' | 'time'> {
  /** The chosen profiles. */
  profiles: readonly Profile[]
  change: Change
}

/** Publishing time: now, at a time in the user's time zone, or in the next free queue slots of the profiles. */
export const TimeFields = memo(({ when, day, time, profiles, change }: TimeFieldsProps) => {
  const at = momentAt({ day, time })
  const zone = userTimeZone()
  return (
    <section data-testid="schedule" className={composerStyles.schedule} aria-label={texts.composer.when}>
      <SegmentedControl
        label={texts.composer.when}
        value={when}
        options={(['now', 'at', 'queue'] as const).map((value) => ({ value, label: texts.composer.whens[value] }))}
        onChange={(value) => change({ when: value })}
      />
      {when === 'at' && (
        <div className={composerStyles.scheduleFields}>
          <DayField
            label={texts.composer.day}
            value={day}
            onChange={(value) => change({ day: value })}
            error={day ? undefined : texts.composer.dayMissing}
          />
          <TimeField label={texts.composer.time} value={time} onChange={(value) => change({ time: value })} />
        </div>
      )}
      {when === 'at' && (
        <p data-testid="schedule-zone" className={`muted ${styles.scheduleZone}`}>
          <Icon name="globe" /> {zone}
        </p>
      )}
      {when === 'at' && at?.isSkipped && (
        <p data-testid="schedule-warning" className={styles.scheduleWarning} role="alert">
          {texts.calendar.skipped(time, zone, at.real)}
        </p>
      )}
      {when === 'at' && at && at.moment < now() && (
        <p data-testid="schedule-warning" className={styles.scheduleWarning} role="alert">
          {texts.composer.past}
        </p>
      )}
      {when === 'queue' && <QueueSlots profiles={profiles} />}
    </section>
  )
})

/** The next free queue slot of each profile at this moment. */
function QueueSlots({ profiles }: { profiles: readonly Profile[] }) {
  const results = useApiQueries(
    'GET /credential/{id}/free-slots',
    profiles.map(({ Id }) => ({ id: Id, count: 1 })),
  )
  if (profiles.length === 0) return <p className="muted">{texts.composer.queueNeedsProfiles}</p>
  return (
    <ul data-testid="schedule-slots" className={styles.scheduleSlots}>
      {profiles.map(({ Id, DisplayName }, index) => {
        const result = results[index]
        const [slot] = result?.Slots ?? []
        return (
          <li key={Id} data-none={result?.HasQueue === 0 || undefined}>
            <span dir="auto">{DisplayName}</span>
            <span className="tabular-nums">
              {!result ? texts.ui.loading : slot !== undefined ? formatDateTime(slot * 1000) : texts.composer.noQueue}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
