import { type CSSProperties, useEffect, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, queryClient, queryKey, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { addDays, type Day, dayAt, parseOptionalTimestamp, timeZoneClock, wallTimeOf } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { MultiCombobox } from '@/ui/combobox.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { CopyButton, DayField, Field } from '@/ui/field.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { toast } from '@/ui/toasts.tsx'
import { affectedRoutes, type Campaign, colors, useTags } from './campaign.ts'
import * as styles from './campaigns.module.css'

const mutationOptions = {
  invalidates: affectedRoutes,
  onSuccess: () => toast(texts.campaigns.saved),
  onError: (failure: unknown) => toast(errorDetails(failure).message, { kind: 'problem' }),
} as const

/** Name, URL, color, end date, tags and visibility of a campaign. Each field saves by itself. */
export function CampaignSettings({ campaign }: { campaign: Campaign }) {
  const t = texts.campaigns
  const may = useMay()
  const change = useApiMutation('v2 POST /campaign/{id}', mutationOptions)
  const update = useApiMutation('POST /campaign/{id}', {
    ...mutationOptions,
    optimistic: ({ id, color }) => showColor(id, color),
  })
  const id = campaign.Id
  const end = parseOptionalTimestamp(campaign.EndDate)
  return (
    <section data-testid="campaign-part" className={styles.part}>
      <h3 className={layoutStyles.panelTitle}>{t.settings}</h3>
      <EditableField label={t.name} value={campaign.Name} onSave={(name) => change.mutate({ id, name })} isNeeded />
      <EditableField label={t.url} value={campaign.Url} onSave={(url) => change.mutate({ id, url })} hint={t.urlHint} />
      <fieldset data-testid="campaign-colors" className={styles.colors}>
        <legend className={fieldStyles.frameLabel}>{t.color}</legend>
        {colors.map((color) => (
          <label key={color} className={styles.swatchChoice} style={{ '--swatch': color } as CSSProperties}>
            <input
              type="radio"
              name="color"
              checked={campaign.Color.toUpperCase() === color}
              onChange={() => update.mutate({ id, color })}
            />
            <span className="visually-hidden">{t.colorOf(color)}</span>
          </label>
        ))}
      </fieldset>
      {may('approve') && (
        <DayField
          label={t.endDay}
          hint={t.endHint}
          value={end === undefined ? '' : dayAt(timeZoneClock(userTimeZone(), end, end), end)}
          onChange={(day) => update.mutate({ id, endDate: day && endOfDay(day) })}
        />
      )}
      <Tags campaign={campaign} onSave={(tagIds) => change.mutate({ id, tagIds })} />
      {may('administer') && <Teams id={id} />}
    </section>
  )
}

/** End of a day in the user's time zone, in seconds. */
function endOfDay(day: Day): number {
  const next = wallTimeOf(addDays(day, 1))
  return Math.floor(timeZoneClock(userTimeZone(), next, next).moment(next) / 1000) - 1
}

/** Shows a color before it is confirmed and returns the rollback. */
function showColor(id: string, color: string | undefined) {
  if (color === undefined) return undefined
  const key = queryKey('v2 GET /campaign/{id}', { id, withTags: 1 })
  const before = queryClient.getQueryData<Body<'v2 GET /campaign/{id}'>>(key)
  if (before) queryClient.setQueryData(key, { ...before, Campaign: { ...before.Campaign, Color: color } })
  return () => void queryClient.setQueryData(key, before)
}

interface LineProps {
  label: string
  value: string
  hint?: string
  isNeeded?: boolean
  onSave: (value: string) => void
}

/** A field that offers to save once it differs. A save by another user does not overwrite the text being typed. */
function EditableField({ label, value, hint, isNeeded = false, onSave }: LineProps) {
  const t = texts.campaigns
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
      data-testid="campaign-line"
      className={styles.line}
      onSubmit={(event) => {
        event.preventDefault()
        if (text === value || isEmpty) return
        setBase(value)
        onSave(text)
      }}
    >
      <Field
        {...{ label }}
        hint={isOther ? t.meanwhile(value) : hint}
        error={isEmpty ? t.nameMissing : undefined}
        value={text}
        maxLength={255}
        dir="auto"
        onChange={setText}
      />
      {text !== value && (
        <span className={styles.row}>
          <Button type="submit">{isOther ? t.keepMine : t.save}</Button>
          {isOther && (
            <Button
              onClick={() => {
                setText(value)
                setBase(value)
              }}
            >
              {t.takeTheirs}
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
    <MultiCombobox
      label={texts.campaigns.tags}
      hint={texts.campaigns.tagsHint}
      options={options}
      values={idsOf(names)}
      onSearch={find}
      onChange={onSave}
    />
  )
}

/** Teams that can see the campaign; admins only. */
function Teams({ id }: { id: string }) {
  const { data: all } = useApiQuery('v2 GET /team', { _order: 'name,1' })
  const { data } = useApiQuery('v2 GET /team-entity/{entityId}', { entityId: id }, { keepPrevious: false })
  const assign = useApiMutation('v2 POST /team-entity/{entityId}', mutationOptions)
  const unassign = useApiMutation('v2 DELETE /team-entity/{entityId}', mutationOptions)
  if (!all || !data || all.Items.length === 0) return null
  const currentIds = data.Items.map(({ Id }) => Id)
  return (
    <MultiCombobox
      label={texts.campaigns.teams}
      hint={texts.campaigns.teamsHint}
      options={all.Items.map(({ Id, Name }) => ({ value: Id, label: Name }))}
      values={currentIds}
      onChange={(next) => {
        const more = next.filter((one) => !currentIds.includes(one))
        const removed = currentIds.filter((one) => !next.includes(one))
        if (more.length > 0) assign.mutate({ entityId: id, teamIds: more })
        if (removed.length > 0) unassign.mutate({ entityId: id, teamIds: removed })
      }}
    />
  )
}

const names = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const
type Name = (typeof names)[number]
const responseField = {
  utmSource: 'UtmSource',
  utmMedium: 'UtmMedium',
  utmCampaign: 'UtmCampaign',
  utmTerm: 'UtmTerm',
  utmContent: 'UtmContent',
} as const

/** Short link settings of a campaign; empty fields inherit from the account. */
export function LinkSettings({ campaign }: { campaign: Campaign }) {
  const t = texts.campaigns
  const id = campaign.Id
  const mayChange = useMay()('approve')
  const { data } = useApiQuery('GET /campaign/{id}/link-settings', { id }, { keepPrevious: false })
  const { data: account } = useApiQuery('GET /link-settings', {})
  const save = useApiMutation('POST /campaign/{id}/link-settings', {
    invalidates: ['GET /campaign/{id}/link-settings'],
    onSuccess: () => toast(t.saved),
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const linkSettings = data?.LinkSettings
  const [values, setValues] = useState<{ readonly [name in Name]?: string | null }>({})
  useEffect(() => {
    if (linkSettings) setValues(Object.fromEntries(names.map((name) => [name, linkSettings[responseField[name]]])))
  }, [linkSettings])
  if (!linkSettings) return null
  const isChanged = names.some((name) => values[name] !== linkSettings[responseField[name]])
  const submit = () => {
    const overridden = names.filter((name) => typeof values[name] === 'string')
    save.mutate({
      id,
      inherit: names.filter((name) => values[name] === null || values[name] === undefined),
      ...Object.fromEntries(overridden.map((name) => [name, values[name]])),
    })
  }
  return (
    <details data-testid="campaign-part" className={`${styles.part} ${styles.links}`}>
      <summary>{t.utm}</summary>
      {campaign.ShortUrl && (
        <p className={styles.short}>
          <span className="muted">{t.shortUrl}</span> <code>{campaign.ShortUrl}</code>{' '}
          <CopyButton text={campaign.ShortUrl} />
        </p>
      )}
      <p className="muted">{t.utmWhy}</p>
      <form
        data-testid="campaign-utm"
        className={styles.utm}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {names.map((name) => {
          const value = values[name] ?? null
          const ofAccount = account?.LinkSettings[responseField[name]] ?? ''
          return mayChange ? (
            <div key={name} className={styles.utmLine}>
              <Field
                label={t.utmNames[name]}
                value={value ?? ''}
                placeholder={value === null ? ofAccount || t.utmOfAccount : ''}
                maxLength={255}
                onChange={(text) => setValues({ ...values, [name]: text })}
              />
              {value !== null && (
                <Button variant="ghost" onClick={() => setValues({ ...values, [name]: null })}>
                  {t.utmOfAccount} <span className="visually-hidden">{t.utmNames[name]}</span>
                </Button>
              )}
            </div>
          ) : (
            <p key={name}>
              {t.utmNames[name]}: <span className="muted">{value ?? (ofAccount || t.utmOfAccount)}</span>
            </p>
          )
        })}
        {mayChange && isChanged && (
          <Button type="submit" busy={save.isPending}>
            {t.save}
          </Button>
        )}
      </form>
    </details>
  )
}
