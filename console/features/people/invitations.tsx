import { useState } from 'react'
import { type Role, roles } from '#kernel/permissions.ts'
import { type Body, call } from '@/api/call.ts'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { ago, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch } from '@/routes/router.ts'
import { momentIfAny } from '@/time/days.ts'
import { Face, StatusMark } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { ManyCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Copy, Field, Select } from '@/ui/field.tsx'
import { Scroll } from '@/ui/layout.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'

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

/** Invites somebody by mail, with a role and into teams. */
export function Inviting({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('contributor')
  const [teamIds, setTeamIds] = useState<string[]>([])
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const teams = useCall('GET /team', {}).data?.Items ?? []
  const invite = async () => {
    if (isBusy) return
    setIsBusy(true)
    try {
      const { User } = await call('POST /invitation', { email, role })
      if (teamIds.length > 0) await call('v2 POST /team-entity/{entityId}', { entityId: User.Id, teamIds })
      say(words.people.invitedNow(email))
      onClose()
      changeSearch({ view: 'invitations', user: '', team: '' })
    } catch (error) {
      setProblem(error)
      setIsBusy(false)
    }
    readAgain('GET /invitation', 'GET /user', 'GET /team', 'GET /overview')
  }
  return (
    <Dialog title={words.people.main.invite} onClose={onClose} onSubmit={() => void invite()}>
      {problem !== undefined && <Problem {...told(problem)} />}
      <Field
        label={words.people.email}
        type="email"
        name="email"
        value={email}
        maxLength={254}
        autoFocus
        autoComplete="off"
        hint={words.people.inviteWhy}
        onChange={setEmail}
      />
      <Select
        label={words.people.role}
        name="role"
        value={role}
        options={roles.map((value) => ({ value, label: words.shell.role[value] }))}
        hint={words.people.roleMay[role]}
        onChange={setRole}
      />
      {teams.length > 0 && (
        <ManyCombobox
          label={words.people.teams}
          placeholder={words.people.addToTeam}
          options={teams.map(({ Id, Name }) => ({ value: Id, label: Name }))}
          values={teamIds}
          onChange={setTeamIds}
        />
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={isBusy}>
          {words.people.invite}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** A link that somebody hands over themselves; it is shown while this is open and never again. */
const LinkDialog = ({ email, url, onClose }: { email: string; url: string; onClose: () => void }) => (
  <Dialog title={words.people.linkFor(email)} onClose={onClose} onSubmit={onClose}>
    <p>{words.people.linkWhy}</p>
    <Copy label={words.people.link} text={url} />
    <DialogActions>
      <Button kind="main" type="submit">
        {words.ui.close}
      </Button>
    </DialogActions>
  </Dialog>
)
