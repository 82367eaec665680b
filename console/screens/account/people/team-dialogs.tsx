import { useState } from 'react'
import { changeSearch } from '../../../shell/router.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { told, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import type { Team } from './person.ts'

export function NewTeam({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const create = useChange('v2 POST /team', {
    stale: ['GET /team'],
    done: ({ Team: made }) => {
      onClose()
      changeSearch({ view: 'teams', team: made.Id, user: '' })
    },
  })
  return (
    <Dialog
      title={words.people.main.team}
      onClose={onClose}
      onSubmit={() => create.isPending || create.mutate({ name })}
    >
      {create.error && <Problem {...told(create.error)} />}
      <Field
        label={words.people.teamName}
        name="name"
        value={name}
        maxLength={255}
        dir="auto"
        autoFocus
        onChange={setName}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={create.isPending}>
          {words.people.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface DeletingProps {
  team: Team
  onClose: () => void
  onDone: () => void
}

/** Nothing becomes open to all by it: what nobody else shares stays with the admins. */
export function DeletingTeam({ team, onClose, onDone }: DeletingProps) {
  const remove = useChange('v2 DELETE /team/{id}', {
    stale: ['GET /team', 'GET /user', 'GET /restricted-entity'],
    done: () => {
      say(words.people.teamDeleted(team.Name))
      onClose()
      onDone()
    },
  })
  return (
    <Dialog
      title={words.people.deletingTeam(team.Name)}
      onClose={onClose}
      onSubmit={() => remove.isPending || remove.mutate({ id: team.Id })}
    >
      {remove.error && <Problem {...told(remove.error)} />}
      <ul className="people-consequences">
        <li>{words.people.membersStay(team.Users)}</li>
        {team.Campaigns + team.Workflows + team.Boards > 0 && (
          <li>{words.people.thingsRestricted(words.people.seesCounts(team.Campaigns, team.Workflows, team.Boards))}</li>
        )}
      </ul>
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" busy={remove.isPending}>
          {words.people.deleteTeam}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
