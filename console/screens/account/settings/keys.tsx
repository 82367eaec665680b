import { useState } from 'react'
import { changeSearch, useAddress } from '../../../shell/router.ts'
import { momentIfAny, now } from '../../../time/days.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Switch } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import type { Body } from '../../../wire/call.ts'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay, useWho } from '../../../wire/session.ts'
import { shortDay } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { ago } from '../moment.ts'
import { MakingKey } from './making-key.tsx'
import { Group, Part, Row } from './part.tsx'

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
