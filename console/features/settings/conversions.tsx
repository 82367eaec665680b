import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, setSearch, useLocation } from '@/routes/router.ts'
import { StatusBadge } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { CopyButton, Field, Switch } from '@/ui/field.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { SettingsGroup, SettingsRow, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

type ConversionTag = Body<'GET /conversion-tag/{id}'>['ConversionTag']
const invalidates = ['v2 GET /conversion-tag', 'GET /conversion-tag/{id}'] as const

/** Conversion goals on the customer's own pages, and the snippet to paste there. */
export function Conversions() {
  const { search } = useLocation()
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useApiQuery('v2 GET /conversion-tag', {})
  const openId = search.get('tag') ?? ''
  const close = () => setSearch({ tag: '' })
  return (
    <SettingsSection
      calls={[
        'GET /v2/conversion-tag',
        'GET /app/api/conversion-tag/{id}',
        'POST /app/api/conversion-tag',
        'PUT /app/api/conversion-tag/{id}',
      ]}
    >
      <SettingsGroup
        title={texts.settings.section.conversions}
        description={texts.settings.conversionsWhy}
        actions={
          mayChange && (
            <Button variant="primary" icon="plus" onClick={() => setSearch({ tag: 'new' })}>
              {texts.settings.newConversion}
            </Button>
          )
        }
      >
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data?.Items.length === 0 && <EmptyState icon="tag" title={texts.settings.noConversions} />}
        <ul className={styles.rows}>
          {data?.Items.map(({ Id, Tag, Value, Status, Conversions: count }) => (
            <SettingsRow
              key={Id}
              title={Tag}
              details={texts.settings.conversionAbout(count, Value)}
              badge={
                <StatusBadge status={Status === 'active' ? 'sent' : 'draft'}>
                  {Status === 'active' ? texts.settings.counts : texts.settings.countsNot}
                </StatusBadge>
              }
            >
              <LinkButton href={hrefWith({ tag: Id })}>{texts.settings.showSnippet}</LinkButton>
            </SettingsRow>
          ))}
        </ul>
      </SettingsGroup>
      {mayChange && openId === 'new' && <NewTag onClose={close} />}
      {openId && openId !== 'new' && <OpenTag key={openId} id={openId} mayChange={mayChange} onClose={close} />}
    </SettingsSection>
  )
}

function NewTag({ onClose }: { onClose: () => void }) {
  const [tag, setTag] = useState('')
  const [value, setValue] = useState('')
  const create = useApiMutation('POST /conversion-tag', {
    invalidates,
    onSuccess: ({ ConversionTag: created }) => setSearch({ tag: created.Id }, { replace: true }),
  })
  return (
    <Dialog
      title={texts.settings.newConversion}
      onClose={onClose}
      onSubmit={() => create.isPending || create.mutate({ tag, ...(value && { value }) })}
    >
      {create.error && <ErrorMessage {...errorDetails(create.error)} />}
      <Fields {...{ tag, value }} onTag={setTag} onValue={setValue} />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={create.isPending}>
          {texts.settings.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface FieldsProps {
  tag: string
  value: string
  onTag: (tag: string) => void
  onValue: (value: string) => void
}

const Fields = ({ tag, value, onTag, onValue }: FieldsProps) => (
  <>
    <Field
      label={texts.settings.conversionName}
      name="tag"
      value={tag}
      maxLength={255}
      dir="auto"
      autoFocus
      onChange={onTag}
    />
    <Field
      label={texts.settings.conversionValue}
      name="value"
      inputMode="decimal"
      hint={texts.settings.conversionValueWhy}
      value={value}
      onChange={onValue}
    />
  </>
)

interface OpenProps {
  id: string
  mayChange: boolean
  onClose: () => void
}

function OpenTag({ id, mayChange, onClose }: OpenProps) {
  const { data, error } = useApiQuery('GET /conversion-tag/{id}', { id }, { keepPrevious: false })
  if (data) return <TagDialog tag={data.ConversionTag} mayChange={mayChange} onClose={onClose} />
  return error ? (
    <Dialog title={texts.settings.section.conversions} onClose={onClose}>
      <ErrorMessage {...errorDetails(error)} />
    </Dialog>
  ) : null
}

function TagDialog({ tag: known, mayChange, onClose }: Omit<OpenProps, 'id'> & { tag: ConversionTag }) {
  const [tag, setTag] = useState(known.Tag)
  const [value, setValue] = useState(known.Value)
  const [isActive, setIsActive] = useState(known.Status === 'active')
  const update = useApiMutation('PUT /conversion-tag/{id}', { invalidates, onSuccess: onClose })
  const remove = useApiMutation('DELETE /conversion-tag/{id}', { invalidates, onSuccess: onClose })
  const problem = update.error ?? remove.error
  const isBusy = update.isPending || remove.isPending
  const status = isActive ? 'active' : 'inactive'
  return (
    <Dialog
      title={known.Tag}
      onClose={onClose}
      onSubmit={() => {
        if (!mayChange) onClose()
        else if (!isBusy) update.mutate({ id: known.Id, tag, status, ...(value && { value }) })
      }}
    >
      {problem && <ErrorMessage {...errorDetails(problem)} />}
      <div data-ui="field-frame" className={fieldStyles.frame}>
        <div className={styles.snippetHead}>
          <span className={fieldStyles.frameLabel}>{texts.settings.snippet}</span>
          <CopyButton text={known.Snippet} />
        </div>
        <pre data-testid="snippet" className={styles.snippet}>
          <code>{known.Snippet}</code>
        </pre>
        <p className={fieldStyles.hint}>{texts.settings.snippetWhy}</p>
      </div>
      {mayChange && (
        <>
          <Fields {...{ tag, value }} onTag={setTag} onValue={setValue} />
          <Switch label={texts.settings.counts} checked={isActive} onChange={setIsActive} />
        </>
      )}
      <DialogActions>
        {mayChange && (
          <Button
            variant="danger"
            icon="trash"
            disabledReason={known.Conversions > 0 ? texts.settings.countedAlready : undefined}
            busy={remove.isPending}
            onClick={() => remove.mutate({ id: known.Id })}
          >
            {texts.settings.delete}
          </Button>
        )}
        <Button onClick={onClose}>{mayChange ? texts.ui.cancel : texts.ui.close}</Button>
        {mayChange && (
          <Button variant="primary" type="submit" busy={update.isPending}>
            {texts.settings.save}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
