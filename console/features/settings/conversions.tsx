import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, useAddress, withSearch } from '@/routes/router.ts'
import { StatusMark } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { CopyButton, Field, Switch } from '@/ui/field.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { Group, Part, Row } from './section.tsx'

type ConversionTag = Body<'GET /conversion-tag/{id}'>['ConversionTag']
const stale = ['v2 GET /conversion-tag', 'GET /conversion-tag/{id}'] as const

/** What counts as a success on one's own pages, and the lines to paste there. */
export function Conversions() {
  const { search } = useAddress()
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useCall('v2 GET /conversion-tag', {})
  const wanted = search.get('tag') ?? ''
  const close = () => changeSearch({ tag: '' })
  return (
    <Part
      calls={[
        'GET /v2/conversion-tag',
        'GET /app/api/conversion-tag/{id}',
        'POST /app/api/conversion-tag',
        'PUT /app/api/conversion-tag/{id}',
      ]}
    >
      <Group
        title={words.settings.section.conversions}
        why={words.settings.conversionsWhy}
        actions={
          mayChange && (
            <Button kind="main" icon="plus" onClick={() => changeSearch({ tag: 'new' })}>
              {words.settings.newConversion}
            </Button>
          )
        }
      >
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data?.Items.length === 0 && <Empty icon="tag" title={words.settings.noConversions} />}
        <ul className="settings-rows">
          {data?.Items.map(({ Id, Tag, Value, Status, Conversions: count }) => (
            <Row
              key={Id}
              title={Tag}
              about={words.settings.conversionAbout(count, Value)}
              mark={
                <StatusMark status={Status === 'active' ? 'sent' : 'draft'}>
                  {Status === 'active' ? words.settings.counts : words.settings.countsNot}
                </StatusMark>
              }
            >
              <LinkButton href={withSearch({ tag: Id })}>{words.settings.showSnippet}</LinkButton>
            </Row>
          ))}
        </ul>
      </Group>
      {mayChange && wanted === 'new' && <NewTag onClose={close} />}
      {wanted && wanted !== 'new' && <OpenTag key={wanted} id={wanted} mayChange={mayChange} onClose={close} />}
    </Part>
  )
}

function NewTag({ onClose }: { onClose: () => void }) {
  const [tag, setTag] = useState('')
  const [value, setValue] = useState('')
  const create = useChange('POST /conversion-tag', {
    stale,
    done: ({ ConversionTag: made }) => changeSearch({ tag: made.Id }, { replace: true }),
  })
  return (
    <Dialog
      title={words.settings.newConversion}
      onClose={onClose}
      onSubmit={() => create.isPending || create.mutate({ tag, ...(value && { value }) })}
    >
      {create.error && <Problem {...told(create.error)} />}
      <Fields {...{ tag, value }} onTag={setTag} onValue={setValue} />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={create.isPending}>
          {words.settings.make}
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
      label={words.settings.conversionName}
      name="tag"
      value={tag}
      maxLength={255}
      dir="auto"
      autoFocus
      onChange={onTag}
    />
    <Field
      label={words.settings.conversionValue}
      name="value"
      inputMode="decimal"
      hint={words.settings.conversionValueWhy}
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
  const { data, error } = useCall('GET /conversion-tag/{id}', { id }, { keepsLast: false })
  if (data) return <TagDialog tag={data.ConversionTag} mayChange={mayChange} onClose={onClose} />
  return error ? (
    <Dialog title={words.settings.section.conversions} onClose={onClose}>
      <Problem {...told(error)} />
    </Dialog>
  ) : null
}

function TagDialog({ tag: known, mayChange, onClose }: Omit<OpenProps, 'id'> & { tag: ConversionTag }) {
  const [tag, setTag] = useState(known.Tag)
  const [value, setValue] = useState(known.Value)
  const [isActive, setIsActive] = useState(known.Status === 'active')
  const update = useChange('PUT /conversion-tag/{id}', { stale, done: onClose })
  const remove = useChange('DELETE /conversion-tag/{id}', { stale, done: onClose })
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
      {problem && <Problem {...told(problem)} />}
      <div className="frame">
        <div className="snippet-head">
          <span className="frame-label">{words.settings.snippet}</span>
          <CopyButton text={known.Snippet} />
        </div>
        <pre className="snippet">
          <code>{known.Snippet}</code>
        </pre>
        <p className="hint">{words.settings.snippetWhy}</p>
      </div>
      {mayChange && (
        <>
          <Fields {...{ tag, value }} onTag={setTag} onValue={setValue} />
          <Switch label={words.settings.counts} checked={isActive} onChange={setIsActive} />
        </>
      )}
      <DialogActions>
        {mayChange && (
          <Button
            kind="danger"
            icon="trash"
            refuses={known.Conversions > 0 ? words.settings.countedAlready : undefined}
            busy={remove.isPending}
            onClick={() => remove.mutate({ id: known.Id })}
          >
            {words.settings.delete}
          </Button>
        )}
        <Button onClick={onClose}>{mayChange ? words.ui.cancel : words.ui.close}</Button>
        {mayChange && (
          <Button kind="main" type="submit" busy={update.isPending}>
            {words.settings.save}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
