import { useState } from 'react'
import { type Role, roles } from '#kernel/permissions.ts'
import { changeSearch } from '../../../shell/router.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { ManyCombobox } from '../../../ui/inputs/combobox.tsx'
import { Field, Select } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { call } from '../../../wire/call.ts'
import { readAgain, told, useCall } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'

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
