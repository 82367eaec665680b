import { useState } from 'react'
import { type Body, call } from '@/api/call.ts'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay, useWho } from '@/api/session.ts'
import { ago, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, useAddress } from '@/routes/router.ts'
import { addDays, type Day, dayOf, momentIfAny, now, wallOf } from '@/time/days.ts'
import { StatusMark } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Copy, DayField, Field, Select, Switch } from '@/ui/field.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { Group, Part, Row } from './section.tsx'

type ApiKey = Body<'GET /api-key'>['Items'][number]

/** With what programs act in one's name; an admin can see and revoke everybody's. */
export function Keys() {
  const { search } = useAddress()
  const { User } = useWho()
  const isAdmin = useMay()('administer')
  const all = isAdmin && search.has('all')
  const { data, error, refetch } = useCall('GET /api-key', all ? { all: true } : {})
  const [isMaking, setIsMaking] = useState(false)
  const [revoked, setRevoked] = useState<ApiKey>()
  return (
    <Part calls={['GET /app/api/api-key', 'POST /app/api/api-key', 'DELETE /app/api/api-key/{id}']}>
      <Group
        title={words.settings.section.keys}
        why={words.settings.keysWhy(words.shell.role[User.Role])}
        actions={
          <Button kind="main" icon="plus" onClick={() => setIsMaking(true)}>
            {words.settings.makeKey}
          </Button>
        }
      >
        {isAdmin && (
          <Switch
            label={words.settings.everybodysKeys}
            checked={all}
            onChange={(isOn) => changeSearch({ all: isOn ? '1' : '' })}
          />
        )}
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data?.Items.length === 0 && <Empty icon="key" title={words.settings.noKeys} />}
        <ul className="settings-rows">
          {data?.Items.map((key) => (
            <Row
              key={key.Id}
              title={key.Name}
              about={words.settings.keyAbout(
                key.UserId === User.Id ? '' : key.UserName,
                ago(key.Created, ''),
                ago(key.LastUsed, words.settings.never),
              )}
              mark={<Ending expires={key.Expires} />}
            >
              <Button kind="danger" onClick={() => setRevoked(key)}>
                {words.settings.revoke}
              </Button>
            </Row>
          ))}
        </ul>
      </Group>
      {isMaking && <MakingKey onClose={() => setIsMaking(false)} />}
      {revoked && <Revoking apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </Part>
  )
}

const week = 7 * 24 * 60 * 60 * 1000

function Ending({ expires }: { expires: string }) {
  const moment = momentIfAny(expires)
  if (moment === undefined) return <span className="quiet">{words.settings.noEnd}</span>
  const left = moment - now()
  return (
    <StatusMark status={left < 0 ? 'failed' : left < week ? 'waiting' : 'sent'}>
      {left < 0 ? words.settings.ended(shortDay(moment)) : words.settings.ends(shortDay(moment))}
    </StatusMark>
  )
}

function Revoking({ apiKey: { Id, Name, LastUsed }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useChange('DELETE /api-key/{id}', {
    stale: ['GET /api-key'],
    done: () => {
      say(words.settings.revoked(Name))
      onClose()
    },
  })
  return (
    <Dialog
      title={words.settings.revoking(Name)}
      onClose={onClose}
      onSubmit={() => revoke.isPending || revoke.mutate({ id: Id })}
    >
      {revoke.error && <Problem {...told(revoke.error)} />}
      <p>{words.settings.revokeWhy(ago(LastUsed, words.settings.never))}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" busy={revoke.isPending}>
          {words.settings.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const lengths = ['30', '90', '365', 'day', 'never'] as const
type Length = (typeof lengths)[number]

/** A new key: asked for and shown here. With this dialog it is gone from the page. */
export function MakingKey({ onClose }: { onClose: () => void }) {
  const { Account } = useWho()
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
      const made = await call('POST /api-key', { name, ...(end && { expires: Math.floor(wallOf(end) / 1000) }) })
      setKey(made.ApiKey.Key)
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
    readAgain('GET /api-key')
  }
  if (key !== undefined)
    return (
      <Dialog title={words.settings.keyMade(name)} onClose={onClose} onSubmit={onClose}>
        <p>{words.settings.keyOnce}</p>
        <Copy label={words.settings.key} text={key} />
        <Copy label={words.settings.tryKey} text={`curl -u ${Account.Id}:${key} ${location.origin}/v2/me`} />
        <DialogActions>
          <Button kind="main" type="submit">
            {words.settings.keyKept}
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog title={words.settings.makeKey} onClose={onClose} onSubmit={() => void make()}>
      {problem !== undefined && <Problem {...told(problem)} />}
      <Field
        label={words.settings.keyName}
        name="name"
        hint={words.settings.keyNameWhy}
        value={name}
        maxLength={100}
        dir="auto"
        autoFocus
        onChange={setName}
      />
      <Select
        label={words.settings.keyEnds}
        value={length}
        options={lengths.map((value) => ({ value, label: words.settings.keyLengths[value] }))}
        onChange={setLength}
      />
      {length === 'day' && (
        <DayField label={words.settings.keyDay} value={day} min={addDays(today, 1)} onChange={setDay} />
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={isBusy}>
          {words.settings.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
