import { useEffect, useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { CopyButton } from '../../../ui/inputs/copy.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import type { Campaign } from './campaign.ts'

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
