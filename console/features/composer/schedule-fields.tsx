import { memo, useState } from 'react'
import { told, useCall, useCalls, useChange, useSettled } from '@/api/queries.ts'
import { dayAndClock, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { go } from '@/routes/router.ts'
import { now } from '@/time/days.ts'
import { NetworkMark, networkName, networks } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { Combobox, ManyCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { DayField, Field, Segments, TimeField } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Empty } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { type Change, type Composition, momentAt, type Profile, type Tag } from './composition.ts'

interface ProfileChoiceProps {
  profiles: readonly Profile[]
  chosen: readonly string[]
  change: Change
}

/** Where it is published: every profile by network. What is broken says so and leads to where it is mended. */
export const ProfileChoice = memo(({ profiles, chosen, change }: ProfileChoiceProps) => {
  if (profiles.length === 0)
    return (
      <Empty
        icon="profiles"
        title={words.composer.noProfiles}
        action={
          <LinkButton kind="main" href="/app/profiles">
            {words.composer.toProfiles}
          </LinkButton>
        }
      >
        {words.composer.noProfilesWhy}
      </Empty>
    )
  const toggle = (profile: Profile) => {
    const { Id, DisplayName, Network } = profile
    if (chosen.includes(Id)) return change({ profiles: chosen.filter((one) => one !== Id) })
    if (isUsable(profile)) return change({ profiles: [...chosen, Id] })
    say(words.composer.broken(DisplayName, networkName(Network)), {
      kind: 'problem',
      action: {
        label: words.composer.lookAtIt,
        run: () => go(`/app/profiles/${encodeURIComponent(Id)}`),
      },
    })
  }
  return (
    <fieldset className="profile-choice">
      <legend>{words.composer.publishTo}</legend>
      {networks
        .flatMap((network) => profiles.filter(({ Network }) => Network === network))
        .map((profile) => (
          <button
            key={profile.Id}
            type="button"
            className="toggle-chip profile-choice-one"
            aria-pressed={chosen.includes(profile.Id)}
            data-broken={!isUsable(profile) || undefined}
            onClick={() => toggle(profile)}
          >
            <NetworkMark network={profile.Network} label />
            <span dir="auto">{profile.DisplayName}</span>
            {!isUsable(profile) && (
              <>
                <Icon name="warning" />
                <span className="unseen">{words.composer.isBroken}</span>
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

/** What it belongs to. */
export const PlanFields = memo(({ campaignId, tags, change }: PlanFieldsProps) => (
  <div className="plan-fields">
    <CampaignField value={campaignId} onChange={(id) => change({ campaignId: id })} />
    <TagField chosen={tags} onChange={(next) => change({ tags: next })} />
  </div>
))

/** Campaigns that are active, found by their names; where there is none yet, one is made in place. */
function CampaignField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [isMaking, setIsMaking] = useState(false)
  const q = useSettled(typed, 150)
  const { data } = useCall('v2 GET /campaign', { status: 'active', _order: 'name,1', _count: 50, ...(q && { q }) })
  const { data: chosen } = useCall('v2 GET /campaign/{id}', { id: value }, { enabled: value !== '', keepsLast: false })
  const found = (data?.Items ?? []).map(({ Id, Name }) => ({ value: Id, label: Name }))
  const options =
    chosen && !found.some((option) => option.value === value)
      ? [...(typed ? [] : [{ value, label: chosen.Campaign.Name }]), ...found]
      : found
  // What is chosen is named whatever is looked for.
  const known = chosen && !options.some((option) => option.value === value)
  return (
    <div className="campaign-field" data-part="campaign">
      <Combobox
        label={words.composer.campaign}
        value={value}
        options={known ? [...options, { value, label: chosen.Campaign.Name }] : options}
        onFind={setTyped}
        onChange={onChange}
        placeholder={words.composer.chooseCampaign}
      />
      <IconButton icon="plus" label={words.composer.newCampaign} onClick={() => setIsMaking(true)} />
      {isMaking && <NewCampaign onMade={onChange} onClose={() => setIsMaking(false)} />}
    </div>
  )
}

function NewCampaign({ onMade, onClose }: { onMade: (id: string) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const { mutate, isPending, error } = useChange('v2 POST /campaign', {
    done: ({ Campaign }) => {
      onMade(Campaign.Id)
      onClose()
    },
    stale: ['v2 GET /campaign'],
  })
  return (
    <Dialog title={words.composer.newCampaign} onClose={onClose} onSubmit={() => name.trim() && mutate({ name })}>
      <Field
        label={words.composer.campaignName}
        value={name}
        onChange={setName}
        required
        problem={error ? told(error).sentence : undefined}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button
          type="submit"
          kind="main"
          busy={isPending}
          refuses={name.trim() ? undefined : words.composer.campaignNameMissing}
        >
          {words.composer.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function TagField({ chosen, onChange }: { chosen: readonly Tag[]; onChange: (tags: Tag[]) => void }) {
  const [typed, setTyped] = useState('')
  const q = useSettled(typed, 150)
  const { data } = useCall('v2 GET /tag', { _count: 100, _order: 'tag,1', ...(q && { q }) })
  const found = (data?.Items ?? []).map(({ Id, Tag }) => ({ id: Id, name: Tag }))
  const all = [...found, ...chosen.filter(({ id }) => !found.some((one) => one.id === id))]
  return (
    <ManyCombobox
      label={words.composer.tags}
      values={chosen.map(({ id }) => id)}
      options={all.map(({ id, name }) => ({ value: id, label: name }))}
      onFind={setTyped}
      onChange={(ids) => onChange(all.filter(({ id }) => ids.includes(id)))}
    />
  )
}

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
