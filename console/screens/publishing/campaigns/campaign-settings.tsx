import { type CSSProperties, useState } from 'react'
import { addDays, type Day, dayAt, momentIfAny, wallOf } from '../../../time/days.ts'
import { zoneLens } from '../../../time/zone-lens.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { ManyCombobox } from '../../../ui/inputs/combobox.tsx'
import { DayField } from '../../../ui/inputs/day-field.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import type { Body } from '../../../wire/call.ts'
import { cache, keyOf, told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { readersZone } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { type Campaign, colors, showing } from './campaign.ts'
import { useTags } from './tags.ts'

const said = {
  stale: showing,
  done: () => say(words.campaigns.saved),
  refused: (failure: unknown) => say(told(failure).sentence, { kind: 'problem' }),
} as const

/** What a campaign is called and looks like, when it is over, and who finds and sees it. Each saves by itself. */
export function CampaignSettings({ campaign }: { campaign: Campaign }) {
  const w = words.campaigns
  const may = useMay()
  const change = useChange('v2 POST /campaign/{id}', said)
  const look = useChange('POST /campaign/{id}', { ...said, before: ({ id, color }) => showColor(id, color) })
  const id = campaign.Id
  const end = momentIfAny(campaign.EndDate)
  return (
    <section className="campaign-part">
      <h3 className="panel-title">{w.settings}</h3>
      <Line label={w.name} value={campaign.Name} onSave={(name) => change.mutate({ id, name })} isNeeded />
      <Line label={w.url} value={campaign.Url} onSave={(url) => change.mutate({ id, url })} hint={w.urlHint} />
      <fieldset className="campaign-colors">
        <legend className="frame-label">{w.color}</legend>
        {colors.map((color) => (
          <label key={color} className="swatch-choice" style={{ '--swatch': color } as CSSProperties}>
            <input
              type="radio"
              name="color"
              checked={campaign.Color.toUpperCase() === color}
              onChange={() => look.mutate({ id, color })}
            />
            <span className="unseen">{w.colorOf(color)}</span>
          </label>
        ))}
      </fieldset>
      {may('approve') && (
        <DayField
          label={w.endDay}
          hint={w.endHint}
          value={end === undefined ? '' : dayAt(zoneLens(readersZone(), end, end), end)}
          onChange={(day) => look.mutate({ id, endDate: day && lastSecondOf(day) })}
        />
      )}
      <Tags campaign={campaign} onSave={(tagIds) => change.mutate({ id, tagIds })} />
      {may('administer') && <Teams id={id} />}
    </section>
  )
}

/** Of a day on the reader's clock, in seconds. */
function lastSecondOf(day: Day): number {
  const next = wallOf(addDays(day, 1))
  return Math.floor(zoneLens(readersZone(), next, next).moment(next) / 1000) - 1
}

/** Shows a colour before it is confirmed, and gives what takes it back. */
function showColor(id: string, color: string | undefined) {
  if (color === undefined) return undefined
  const key = keyOf('v2 GET /campaign/{id}', { id, withTags: 1 })
  const before = cache.getQueryData<Body<'v2 GET /campaign/{id}'>>(key)
  if (before) cache.setQueryData(key, { ...before, Campaign: { ...before.Campaign, Color: color } })
  return () => void cache.setQueryData(key, before)
}

interface LineProps {
  label: string
  value: string
  hint?: string
  isNeeded?: boolean
  onSave: (value: string) => void
}

/** A line that offers to be saved as soon as it says something else. What somebody else saves meanwhile takes nobody's words away. */
function Line({ label, value, hint, isNeeded = false, onSave }: LineProps) {
  const w = words.campaigns
  const [text, setText] = useState(value)
  const [base, setBase] = useState(value)
  if (base !== value && text === base) {
    setText(value)
    setBase(value)
  }
  const isOther = base !== value && text !== value
  const isEmpty = isNeeded && text.trim() === ''
  return (
    <form
      className="campaign-line"
      onSubmit={(event) => {
        event.preventDefault()
        if (text === value || isEmpty) return
        setBase(value)
        onSave(text)
      }}
    >
      <Field
        {...{ label }}
        hint={isOther ? w.meanwhile(value) : hint}
        problem={isEmpty ? w.nameMissing : undefined}
        value={text}
        maxLength={255}
        dir="auto"
        onChange={setText}
      />
      {text !== value && (
        <span className="campaign-row">
          <Button type="submit">{isOther ? w.keepMine : w.save}</Button>
          {isOther && (
            <Button
              onClick={() => {
                setText(value)
                setBase(value)
              }}
            >
              {w.takeTheirs}
            </Button>
          )}
        </span>
      )}
    </form>
  )
}

function Tags({ campaign, onSave }: { campaign: Campaign; onSave: (ids: string[]) => void }) {
  const { options, find, idsOf, isKnown } = useTags()
  const names = campaign.Tags ?? []
  if (!isKnown) return null
  return (
    <ManyCombobox
      label={words.campaigns.tags}
      hint={words.campaigns.tagsHint}
      options={options}
      values={idsOf(names)}
      onFind={find}
      onChange={onSave}
    />
  )
}

/** Who sees it; a matter for admins. */
function Teams({ id }: { id: string }) {
  const { data: all } = useCall('v2 GET /team', { _order: 'name,1' })
  const { data } = useCall('v2 GET /team-entity/{entityId}', { entityId: id }, { keepsLast: false })
  const assign = useChange('v2 POST /team-entity/{entityId}', said)
  const unassign = useChange('v2 DELETE /team-entity/{entityId}', said)
  if (!all || !data || all.Items.length === 0) return null
  const its = data.Items.map(({ Id }) => Id)
  return (
    <ManyCombobox
      label={words.campaigns.teams}
      hint={words.campaigns.teamsHint}
      options={all.Items.map(({ Id, Name }) => ({ value: Id, label: Name }))}
      values={its}
      onChange={(next) => {
        const more = next.filter((one) => !its.includes(one))
        const fewer = its.filter((one) => !next.includes(one))
        if (more.length > 0) assign.mutate({ entityId: id, teamIds: more })
        if (fewer.length > 0) unassign.mutate({ entityId: id, teamIds: fewer })
      }}
    />
  )
}
