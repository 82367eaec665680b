import { roles } from '#kernel/permissions.ts'
import { changeSearch, useAddress } from '../../../shell/router.ts'
import { momentIfAny } from '../../../time/days.ts'
import { Filter, Find } from '../../../ui/inputs/filters.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { type Column, Table } from '../../../ui/layout/table.tsx'
import { Face } from '../../../ui/marks/face.tsx'
import { usePages } from '../../../wire/pages.ts'
import { told, useCall } from '../../../wire/queries.ts'
import { useWho } from '../../../wire/session.ts'
import { list, plural } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { ago } from '../moment.ts'
import { calledBy, type Person } from './person.ts'

/** Everybody with a role, by their names. */
export function Users({ openId }: { openId: string }) {
  const { search } = useAddress()
  const { User } = useWho()
  const q = search.get('q') ?? ''
  const role = roles.find((one) => one === search.get('role'))
  const { items, total, isFirst, error, more, again } = usePages('GET /user', {
    _count: 100,
    _order: 'name,1' as const,
    ...(q && { q }),
    ...(role && { role }),
  })
  const teams = useCall('GET /team', {}).data?.Items ?? []
  const teamNames = (ids: readonly string[]) => list(ids.map((id) => teams.find(({ Id }) => Id === id)?.Name ?? '…'))
  const columns: Column<Person>[] = [
    {
      id: 'name',
      label: words.people.name,
      width: '26%',
      show: (one) => (
        <span className="people-name">
          <Face name={calledBy(one)} />
          <span dir="auto">{calledBy(one)}</span>
          {one.Id === User.Id && <small className="people-you">{words.people.you}</small>}
        </span>
      ),
    },
    { id: 'role', label: words.people.role, show: (one) => words.shell.role[one.Role] },
    { id: 'email', label: words.people.email, show: (one) => one.Email },
    { id: 'teams', label: words.people.teams, show: (one) => <span dir="auto">{teamNames(one.TeamIds)}</span> },
    {
      id: 'seen',
      label: words.people.lastSeen,
      show: (one) =>
        momentIfAny(one.Invited) === undefined ? ago(one.LastSeen, words.people.never) : words.people.invitedNotCome,
    },
    {
      id: 'library',
      label: words.people.library,
      show: (one) => (one.MediaLibrary ? words.people.manages : words.people.uses),
    },
  ]
  const isFiltered = q !== '' || role !== undefined
  return (
    <div className="table-page people-list">
      <div className="people-filters">
        <Find label={words.people.find} value={q} onChange={(text) => changeSearch({ q: text }, { replace: true })} />
        <Filter
          label={words.people.role}
          options={roles.map((value) => ({ value, label: words.shell.role[value] }))}
          values={role ? [role] : []}
          onChange={(values) => changeSearch({ role: values.at(-1) })}
        />
        {!isFirst && (
          <span className="quiet number">
            {plural(total, { one: words.people.oneUser, other: words.people.users })}
          </span>
        )}
      </div>
      {error && <Problem {...told(error)} onAgain={again} />}
      {isFirst && !error && <Waiting />}
      {!isFirst && items.length === 0 && (
        <Empty icon="people" title={isFiltered ? words.people.nothingFits : words.people.none} />
      )}
      {items.length > 0 && (
        <Table
          label={words.people.views.users}
          columns={columns}
          rows={items}
          idOf={({ Id }) => Id}
          nameOf={({ Name }) => Name}
          openId={openId}
          onOpen={({ Id }) => changeSearch({ user: Id })}
          onNearEnd={more}
        />
      )}
    </div>
  )
}
