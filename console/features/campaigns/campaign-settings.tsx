import { type CSSProperties, useEffect, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { cache, keyOf, told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { addDays, type Day, dayAt, momentIfAny, wallOf, zoneLens } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { ManyCombobox } from '@/ui/combobox.tsx'
import { CopyButton, DayField, Field } from '@/ui/field.tsx'
import { say } from '@/ui/toasts.tsx'
import { type Campaign, colors, showing, useTags } from './campaign.ts'

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

const names = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const
type Name = (typeof names)[number]
const wireName = {
  utmSource: 'UtmSource',
  utmMedium: 'UtmMedium',
  utmCampaign: 'UtmCampaign',
  utmTerm: 'UtmTerm',
  utmContent: 'UtmContent',
} as const

/** What new short links of a campaign carry; what is not said here, the account says. */
export function LinkSettings({ campaign }: { campaign: Campaign }) {
  const w = words.campaigns
  const id = campaign.Id
  const mayChange = useMay()('approve')
  const { data } = useCall('GET /campaign/{id}/link-settings', { id }, { keepsLast: false })
  const { data: account } = useCall('GET /link-settings', {})
  const save = useChange('POST /campaign/{id}/link-settings', {
    stale: ['GET /campaign/{id}/link-settings'],
    done: () => say(w.saved),
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const given = data?.LinkSettings
  const [values, setValues] = useState<{ readonly [name in Name]?: string | null }>({})
  useEffect(() => {
    if (given) setValues(Object.fromEntries(names.map((name) => [name, given[wireName[name]]])))
  }, [given])
  if (!given) return null
  const isChanged = names.some((name) => values[name] !== given[wireName[name]])
  const submit = () => {
    const said = names.filter((name) => typeof values[name] === 'string')
    save.mutate({
      id,
      inherit: names.filter((name) => values[name] === null || values[name] === undefined),
      ...Object.fromEntries(said.map((name) => [name, values[name]])),
    })
  }
  return (
    <details className="campaign-part campaign-links">
      <summary>{w.utm}</summary>
      {campaign.ShortUrl && (
        <p className="campaign-short">
          <span className="quiet">{w.shortUrl}</span> <code>{campaign.ShortUrl}</code>{' '}
          <CopyButton text={campaign.ShortUrl} />
        </p>
      )}
      <p className="quiet">{w.utmWhy}</p>
      <form
        className="campaign-utm"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {names.map((name) => {
          const value = values[name] ?? null
          const ofAccount = account?.LinkSettings[wireName[name]] ?? ''
          return mayChange ? (
            <div key={name} className="campaign-utm-line">
              <Field
                label={w.utmNames[name]}
                value={value ?? ''}
                placeholder={value === null ? ofAccount || w.utmOfAccount : ''}
                maxLength={255}
                onChange={(text) => setValues({ ...values, [name]: text })}
              />
              {value !== null && (
                <Button kind="bare" onClick={() => setValues({ ...values, [name]: null })}>
                  {w.utmOfAccount} <span className="unseen">{w.utmNames[name]}</span>
                </Button>
              )}
            </div>
          ) : (
            <p key={name}>
              {w.utmNames[name]}: <span className="quiet">{value ?? (ofAccount || w.utmOfAccount)}</span>
            </p>
          )
        })}
        {mayChange && isChanged && (
          <Button type="submit" busy={save.isPending}>
            {w.save}
          </Button>
        )}
      </form>
    </details>
  )
}
