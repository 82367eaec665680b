import { useState } from 'react'
import { type Role, roles } from '#kernel/permissions.ts'
import { type Body, call } from '@/api/call.ts'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { ago, formatDate } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { setSearch } from '@/routes/router.ts'
import { parseOptionalTimestamp } from '@/time/days.ts'
import { Avatar, StatusBadge } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { MultiCombobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { CopyField, Field, Select } from '@/ui/field.tsx'
import { ScrollArea } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './people.module.css'

type Invitation = Body<'GET /invitation'>['Items'][number]

const statuses = { 'on-its-way': 'planned', waiting: 'waiting', 'ran-out': 'failed' } as const

/** Pending invitations. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useApiQuery('GET /invitation', {})
  return (
    <ScrollArea className={styles.invitations}>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.Items.length === 0 && (
        <EmptyState
          icon="people"
          title={texts.people.noInvitations}
          action={
            mayChange && (
              <Button icon="plus" onClick={onInvite}>
                {texts.people.main.invite}
              </Button>
            )
          }
        >
          {texts.people.noInvitationsWhy}
        </EmptyState>
      )}
      <ul className={styles.invitationList}>
        {data?.Items.map((one) => (
          <li key={one.Id}>
            <Row invitation={one} mayChange={mayChange} />
          </li>
        ))}
      </ul>
    </ScrollArea>
  )
}

const invalidates = ['GET /invitation', 'GET /user'] as const
const onError = ({ message }: { message: string }) => toast(message, { kind: 'problem' })

function Row({ invitation, mayChange }: { invitation: Invitation; mayChange: boolean }) {
  const { Id, Name, Email, Role, Invited, InvitedByName, Ends, State } = invitation
  const [isWithdrawing, setIsWithdrawing] = useState(false)
  const [url, setUrl] = useState<string>()
  const retry = useApiMutation('POST /invitation/{id}/send', {
    invalidates,
    onError,
    onSuccess: () => toast(texts.people.sentAgain(Email)),
  })
  const makeLink = async () => {
    try {
      // Not cached: anyone who has the link can join.
      setUrl((await call('POST /invitation/{id}/link', { id: Id })).Url)
      invalidate(...invalidates)
    } catch (error) {
      toast(errorDetails(error).message, { kind: 'problem' })
    }
  }
  const ends = parseOptionalTimestamp(Ends)
  return (
    <article data-testid="invitation" className={styles.invitation} aria-label={Email}>
      <Avatar name={Name.trim() || Email} />
      <div className={styles.invitationWho}>
        <b dir="auto">{Name.trim() || Email}</b>
        <span className="muted">
          {Name.trim() && `${Email} · `}
          {texts.shell.role[Role]}
        </span>
      </div>
      <div className={styles.invitationState}>
        <StatusBadge status={statuses[State]}>{texts.people.states[State]}</StatusBadge>
        <span className="muted">
          {texts.people.invitedBy(InvitedByName, ago(Invited, ''))}
          {ends !== undefined && ` · ${texts.people.until(formatDate(ends))}`}
        </span>
      </div>
      {mayChange && (
        <div className={styles.invitationActions}>
          <Button icon="again" busy={retry.isPending} onClick={() => retry.mutate({ id: Id })}>
            {texts.people.sendAgain}
          </Button>
          <Button
            icon="links"
            disabledReason={State === 'on-its-way' ? texts.people.mailFirst : undefined}
            onClick={() => void makeLink()}
          >
            {texts.people.copyLink}
          </Button>
          <Button variant="danger" onClick={() => setIsWithdrawing(true)}>
            {texts.people.withdraw}
          </Button>
        </div>
      )}
      {url !== undefined && <LinkDialog email={Email} url={url} onClose={() => setUrl(undefined)} />}
      {isWithdrawing && <WithdrawDialog invitation={invitation} onClose={() => setIsWithdrawing(false)} />}
    </article>
  )
}

function WithdrawDialog({ invitation: { Id, Email }, onClose }: { invitation: Invitation; onClose: () => void }) {
  const withdraw = useApiMutation('DELETE /invitation/{id}', {
    invalidates,
    onSuccess: () => {
      toast(texts.people.withdrawn(Email))
      onClose()
    },
    onError: (failure) => {
      onError(failure)
      onClose()
    },
  })
  return (
    <Dialog title={texts.people.withdraw} onClose={onClose} onSubmit={() => withdraw.mutate({ id: Id })}>
      <p>{texts.people.withdrawWhy(Email)}</p>
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" busy={withdraw.isPending}>
          {texts.people.withdraw}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('contributor')
  const [teamIds, setTeamIds] = useState<string[]>([])
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const teams = useApiQuery('GET /team', {}).data?.Items ?? []
  const invite = async () => {
    if (isBusy) return
    setIsBusy(true)
    try {
      const { User } = await call('POST /invitation', { email, role })
      if (teamIds.length > 0) await call('v2 POST /team-entity/{entityId}', { entityId: User.Id, teamIds })
      toast(texts.people.invitedNow(email))
      onClose()
      setSearch({ view: 'invitations', user: '', team: '' })
    } catch (error) {
      setProblem(error)
      setIsBusy(false)
    }
    invalidate('GET /invitation', 'GET /user', 'GET /team', 'GET /overview')
  }
  return (
    <Dialog title={texts.people.main.invite} onClose={onClose} onSubmit={() => void invite()}>
      {problem !== undefined && <ErrorMessage {...errorDetails(problem)} />}
      <Field
        label={texts.people.email}
        type="email"
        name="email"
        value={email}
        maxLength={254}
        autoFocus
        autoComplete="off"
        hint={texts.people.inviteWhy}
        onChange={setEmail}
      />
      <Select
        label={texts.people.role}
        name="role"
        value={role}
        options={roles.map((value) => ({ value, label: texts.shell.role[value] }))}
        hint={texts.people.roleMay[role]}
        onChange={setRole}
      />
      {teams.length > 0 && (
        <MultiCombobox
          label={texts.people.teams}
          placeholder={texts.people.addToTeam}
          options={teams.map(({ Id, Name }) => ({ value: Id, label: Name }))}
          values={teamIds}
          onChange={setTeamIds}
        />
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={isBusy}>
          {texts.people.invite}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** An invitation link to pass on manually; shown only while this dialog is open. */
const LinkDialog = ({ email, url, onClose }: { email: string; url: string; onClose: () => void }) => (
  <Dialog title={texts.people.linkFor(email)} onClose={onClose} onSubmit={onClose}>
    <p>{texts.people.linkWhy}</p>
    <CopyField label={texts.people.link} text={url} />
    <DialogActions>
      <Button variant="primary" type="submit">
        {texts.ui.close}
      </Button>
    </DialogActions>
  </Dialog>
)
