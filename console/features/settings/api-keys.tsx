import { useState } from 'react'
import { type Body, call } from '@/api/call.ts'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay, useSession } from '@/api/session.ts'
import { ago, formatDate } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { setSearch, useLocation } from '@/routes/router.ts'
import { addDays, type Day, dayOf, now, parseOptionalTimestamp, wallTimeOf } from '@/time/days.ts'
import { StatusBadge } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { CopyField, DayField, Field, Select, Switch } from '@/ui/field.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { SettingsGroup, SettingsRow, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

type ApiKey = Body<'GET /api-key'>['Items'][number]

/** API keys that act on the user's behalf. Admins see and can revoke all keys. */
export function ApiKeys() {
  const { search } = useLocation()
  const { User } = useSession()
  const isAdmin = useMay()('administer')
  const all = isAdmin && search.has('all')
  const { data, error, refetch } = useApiQuery('GET /api-key', all ? { all: true } : {})
  const [isMaking, setIsMaking] = useState(false)
  const [revoked, setRevoked] = useState<ApiKey>()
  return (
    <SettingsSection calls={['GET /app/api/api-key', 'POST /app/api/api-key', 'DELETE /app/api/api-key/{id}']}>
      <SettingsGroup
        title={texts.settings.section.keys}
        description={texts.settings.keysWhy(texts.shell.role[User.Role])}
        actions={
          <Button variant="primary" icon="plus" onClick={() => setIsMaking(true)}>
            {texts.settings.makeKey}
          </Button>
        }
      >
        {isAdmin && (
          <Switch
            label={texts.settings.allKeys}
            checked={all}
            onChange={(isOn) => setSearch({ all: isOn ? '1' : '' })}
          />
        )}
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data?.Items.length === 0 && <EmptyState icon="key" title={texts.settings.noKeys} />}
        <ul className={styles.rows}>
          {data?.Items.map((key) => (
            <SettingsRow
              key={key.Id}
              title={key.Name}
              details={texts.settings.keyAbout(
                key.UserId === User.Id ? '' : key.UserName,
                ago(key.Created, ''),
                ago(key.LastUsed, texts.settings.never),
              )}
              badge={<KeyExpiry expires={key.Expires} />}
            >
              <Button variant="danger" onClick={() => setRevoked(key)}>
                {texts.settings.revoke}
              </Button>
            </SettingsRow>
          ))}
        </ul>
      </SettingsGroup>
      {isMaking && <NewKeyDialog onClose={() => setIsMaking(false)} />}
      {revoked && <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </SettingsSection>
  )
}

const week = 7 * 24 * 60 * 60 * 1000

function KeyExpiry({ expires }: { expires: string }) {
  const moment = parseOptionalTimestamp(expires)
  if (moment === undefined) return <span className="muted">{texts.settings.noEnd}</span>
  const left = moment - now()
  return (
    <StatusBadge status={left < 0 ? 'failed' : left < week ? 'waiting' : 'sent'}>
      {left < 0 ? texts.settings.ended(formatDate(moment)) : texts.settings.ends(formatDate(moment))}
    </StatusBadge>
  )
}

function RevokeDialog({ apiKey: { Id, Name, LastUsed }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useApiMutation('DELETE /api-key/{id}', {
    invalidates: ['GET /api-key'],
    onSuccess: () => {
      toast(texts.settings.revoked(Name))
      onClose()
    },
  })
  return (
    <Dialog
      title={texts.settings.revoking(Name)}
      onClose={onClose}
      onSubmit={() => revoke.isPending || revoke.mutate({ id: Id })}
    >
      {revoke.error && <ErrorMessage {...errorDetails(revoke.error)} />}
      <p>{texts.settings.revokeWhy(ago(LastUsed, texts.settings.never))}</p>
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" busy={revoke.isPending}>
          {texts.settings.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const lengths = ['30', '90', '365', 'day', 'never'] as const
type Length = (typeof lengths)[number]

/** Creates a key and shows it once; it is dropped when the dialog closes. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const { Account } = useSession()
  const today = dayOf(now())
  const [name, setName] = useState('')
  const [length, setLength] = useState<Length>('90')
  const [day, setDay] = useState<Day | ''>(addDays(today, 30))
  const [key, setKey] = useState<string>()
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const make = async () => {
    if (isBusy) return
    setIsBusy(true)
    const end = length === 'never' ? '' : length === 'day' ? day : addDays(today, Number(length))
    try {
      const created = await call('POST /api-key', { name, ...(end && { expires: Math.floor(wallTimeOf(end) / 1000) }) })
      setKey(created.ApiKey.Key)
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
    invalidate('GET /api-key')
  }
  if (key !== undefined)
    return (
      <Dialog title={texts.settings.keyMade(name)} onClose={onClose} onSubmit={onClose}>
        <p>{texts.settings.keyOnce}</p>
        <CopyField label={texts.settings.key} text={key} />
        <CopyField label={texts.settings.tryKey} text={`curl -u ${Account.Id}:${key} ${location.origin}/v2/me`} />
        <DialogActions>
          <Button variant="primary" type="submit">
            {texts.settings.keyKept}
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog title={texts.settings.makeKey} onClose={onClose} onSubmit={() => void make()}>
      {problem !== undefined && <ErrorMessage {...errorDetails(problem)} />}
      <Field
        label={texts.settings.keyName}
        name="name"
        hint={texts.settings.keyNameWhy}
        value={name}
        maxLength={100}
        dir="auto"
        autoFocus
        onChange={setName}
      />
      <Select
        label={texts.settings.keyEnds}
        value={length}
        options={lengths.map((value) => ({ value, label: texts.settings.keyLengths[value] }))}
        onChange={setLength}
      />
      {length === 'day' && (
        <DayField label={texts.settings.keyDay} value={day} min={addDays(today, 1)} onChange={setDay} />
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={isBusy}>
          {texts.settings.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
