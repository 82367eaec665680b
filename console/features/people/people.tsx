import { useMemo, useState } from 'react'
import { roles } from '#kernel/permissions.ts'
import { told, useCall, usePages } from '@/api/queries.ts'
import { useMay, useWho } from '@/api/session.ts'
import { ago, list, plural } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, useAddress, withSearch } from '@/routes/router.ts'
import { useKeys } from '@/shell/shortcuts.ts'
import { momentIfAny } from '@/time/days.ts'
import { Face } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Filter, Find } from '@/ui/filters.tsx'
import { Bar, Tabs } from '@/ui/layout.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { type Column, Table } from '@/ui/table.tsx'
import { Invitations, Inviting } from './invitations.tsx'
import { TeamPanel } from './team-panel.tsx'
import { NewTeam, Teams } from './teams.tsx'
import { calledBy, type Person } from './user-dialogs.tsx'
import { UserPanel } from './user-panel.tsx'

const views = ['users', 'invitations', 'teams'] as const
type View = (typeof views)[number]

/** Who works here: users, who was invited and has not come yet, and teams with what they see. */
export function People() {
  const { search } = useAddress()
  const mayChange = useMay()('administer')
  const [asked, setAsked] = useState<'invite' | 'team'>()
  const openUser = search.get('user') ?? ''
  const openTeam = search.get('team') ?? ''
  const view = viewOf(search.get('view'), openTeam)
  const invited = useCall('GET /invitation', {}).data?.Total
  const teams = useCall('GET /team', {}).data?.Total
  const main = view === 'teams' ? 'team' : 'invite'
  useKeys(
    useMemo(
      () => (mayChange ? [{ keys: 'n', name: words.people.main[main], run: () => setAsked(main) }] : []),
      [mayChange, main],
    ),
  )
  const counts = { users: undefined, invitations: invited, teams }
  return (
    <>
      <Bar
        title={words.people.title}
        actions={
          mayChange && (
            <Button kind="main" icon="plus" keys="n" onClick={() => setAsked(main)}>
              {words.people.main[main]}
            </Button>
          )
        }
      >
        <Tabs
          label={words.people.title}
          tabs={views.map((one) => ({
            href: withSearch({ view: one === 'users' ? '' : one, user: '', team: '', q: '', role: '' }),
            label: words.people.views[one],
            ...(counts[one] !== undefined && { count: counts[one] }),
            isCurrent: one === view,
          }))}
        />
      </Bar>
      <div className="people">
        {view === 'users' && <Users openId={openUser} />}
        {view === 'invitations' && <Invitations onInvite={() => setAsked('invite')} />}
        {view === 'teams' && <Teams openId={openTeam} />}
        {view === 'users' && openUser && (
          <UserPanel key={openUser} id={openUser} onClose={() => changeSearch({ user: '' })} />
        )}
        {view === 'teams' && openTeam && (
          <TeamPanel key={openTeam} id={openTeam} onClose={() => changeSearch({ team: '' })} />
        )}
      </div>
      {asked === 'invite' && <Inviting onClose={() => setAsked(undefined)} />}
      {asked === 'team' && <NewTeam onClose={() => setAsked(undefined)} />}
    </>
  )
}

/** A link to a team need not say that it is one of teams. */
const viewOf = (wanted: string | null, team: string): View =>
  views.find((one) => one === wanted) ?? (team ? 'teams' : 'users')

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
