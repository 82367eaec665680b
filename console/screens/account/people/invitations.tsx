import { useState } from 'react'
import { momentIfAny } from '../../../time/days.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Scroll } from '../../../ui/layout/scroll.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { Face } from '../../../ui/marks/face.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import { type Body, call } from '../../../wire/call.ts'
import { readAgain, told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { shortDay } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { ago } from '../moment.ts'
import { LinkDialog } from './link-dialog.tsx'

type Invitation = Body<'GET /invitation'>['Items'][number]

const statuses = { 'on-its-way': 'planned', waiting: 'waiting', 'ran-out': 'failed' } as const

/** Who was invited and has not come yet. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useCall('GET /invitation', {})
  return (
    <Scroll className="invitations">
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data?.Items.length === 0 && (
        <Empty
          icon="people"
          title={words.people.noInvitations}
          action={
            mayChange && (
              <Button icon="plus" onClick={onInvite}>
                {words.people.main.invite}
              </Button>
            )
          }
        >
          {words.people.noInvitationsWhy}
        </Empty>
      )}
      <ul className="invitation-list">
        {data?.Items.map((one) => (
          <li key={one.Id}>
            <Row invitation={one} mayChange={mayChange} />
          </li>
        ))}
      </ul>
    </Scroll>
  )
}

const stale = ['GET /invitation', 'GET /user'] as const
const refused = ({ message }: { message: string }) => say(message, { kind: 'problem' })

function Row({ invitation, mayChange }: { invitation: Invitation; mayChange: boolean }) {
  const { Id, Name, Email, Role, Invited, InvitedByName, Ends, State } = invitation
  const [isWithdrawing, setIsWithdrawing] = useState(false)
  const [url, setUrl] = useState<string>()
  const again = useChange('POST /invitation/{id}/send', {
    stale,
    refused,
    done: () => say(words.people.sentAgain(Email)),
  })
  const makeLink = async () => {
    try {
      // Asked for here and kept nowhere else: whoever has it can come in.
      setUrl((await call('POST /invitation/{id}/link', { id: Id })).Url)
      readAgain(...stale)
    } catch (error) {
      say(told(error).sentence, { kind: 'problem' })
    }
  }
  const ends = momentIfAny(Ends)
  return (
    <article className="invitation" aria-label={Email}>
      <Face name={Name.trim() || Email} />
      <div className="invitation-who">
        <b dir="auto">{Name.trim() || Email}</b>
        <span className="quiet">
          {Name.trim() && `${Email} · `}
          {words.shell.role[Role]}
        </span>
      </div>
      <div className="invitation-state">
        <StatusMark status={statuses[State]}>{words.people.states[State]}</StatusMark>
        <span className="quiet">
          {words.people.invitedBy(InvitedByName, ago(Invited, ''))}
          {ends !== undefined && ` · ${words.people.until(shortDay(ends))}`}
        </span>
      </div>
      {mayChange && (
        <div className="invitation-acts">
          <Button icon="again" busy={again.isPending} onClick={() => again.mutate({ id: Id })}>
            {words.people.sendAgain}
          </Button>
          <Button
            icon="links"
            refuses={State === 'on-its-way' ? words.people.mailFirst : undefined}
            onClick={() => void makeLink()}
          >
            {words.people.copyLink}
          </Button>
          <Button kind="danger" onClick={() => setIsWithdrawing(true)}>
            {words.people.withdraw}
          </Button>
        </div>
      )}
      {url !== undefined && <LinkDialog email={Email} url={url} onClose={() => setUrl(undefined)} />}
      {isWithdrawing && <Withdrawing invitation={invitation} onClose={() => setIsWithdrawing(false)} />}
    </article>
  )
}

function Withdrawing({ invitation: { Id, Email }, onClose }: { invitation: Invitation; onClose: () => void }) {
  const withdraw = useChange('DELETE /invitation/{id}', {
    stale,
    done: () => {
      say(words.people.withdrawn(Email))
      onClose()
    },
    refused: (failure) => {
      refused(failure)
      onClose()
    },
  })
  return (
    <Dialog title={words.people.withdraw} onClose={onClose} onSubmit={() => withdraw.mutate({ id: Id })}>
      <p>{words.people.withdrawWhy(Email)}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" busy={withdraw.isPending}>
          {words.people.withdraw}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
