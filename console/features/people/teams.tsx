import { useState } from 'react'
import { told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch } from '@/routes/router.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { type Column, Table } from '@/ui/table.tsx'
import { say } from '@/ui/toasts.tsx'
import type { Team } from './user-dialogs.tsx'

/** All teams with how many are in each, and what only they see. */
export function Teams({ openId }: { openId: string }) {
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useCall('GET /team', {})
  const columns: Column<Team>[] = [
    { id: 'name', label: words.people.team, width: '40%', show: ({ Name }) => <span dir="auto">{Name}</span> },
    { id: 'users', label: words.people.members, isNumber: true, show: ({ Users }) => Users },
    {
      id: 'sees',
      label: words.people.seesAlone,
      show: ({ Campaigns, Workflows, Boards }) =>
        words.people.seesCounts(Campaigns, Workflows, Boards) || words.people.nothingAlone,
    },
  ]
  return (
    <div className="table-page people-list">
      <p className="people-filters quiet">{words.people.teamsAbout}</p>
      {mayChange && <Restricted />}
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data?.Items.length === 0 && <Empty icon="advocacy" title={words.people.noTeams} />}
      {data && data.Items.length > 0 && (
        <Table
          label={words.people.views.teams}
          columns={columns}
          rows={data.Items}
          idOf={({ Id }) => Id}
          nameOf={({ Name }) => Name}
          openId={openId}
          onOpen={({ Id }) => changeSearch({ view: 'teams', team: Id })}
        />
      )}
    </div>
  )
}

/** What nobody but admins sees since its last team was deleted: somebody has to decide. */
function Restricted() {
  const { data } = useCall('GET /restricted-entity', { _count: 100 })
  const [isOpen, setIsOpen] = useState(false)
  const open = useChange('DELETE /restricted-entity/{entityId}', {
    stale: ['GET /restricted-entity'],
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  if (!data || data.Total === 0) return null
  return (
    <section className="restricted">
      <p>
        {words.people.restricted(data.Total)}{' '}
        <Button kind="bare" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? words.ui.hide : words.ui.show}
        </Button>
      </p>
      {isOpen && (
        <ul className="entity-list">
          {data.Items.map(({ EntityId, Name }) => (
            <li key={EntityId}>
              <span dir="auto">{Name || EntityId}</span>
              <Button onClick={() => open.mutate({ entityId: EntityId })}>{words.people.openToAll}</Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

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
