import { useState } from 'react'
import { changeSearch } from '../../../shell/router.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { type Column, Table } from '../../../ui/layout/table.tsx'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import type { Team } from './person.ts'

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
