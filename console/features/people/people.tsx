import { useMemo, useState } from 'react'
import { roles } from '#kernel/permissions.ts'
import { errorDetails, useApiQuery, usePagedQuery } from '@/api/queries.ts'
import { useMay, useSession } from '@/api/session.ts'
import { ago, formatList, plural } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, setSearch, useLocation } from '@/routes/router.ts'
import { useShortcuts } from '@/shell/shortcuts.ts'
import { parseOptionalTimestamp } from '@/time/days.ts'
import { Avatar } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Filter, SearchField } from '@/ui/filters.tsx'
import { PageHeader, Tabs } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import * as tableStyles from '@/ui/table.module.css'
import { type Column, Table } from '@/ui/table.tsx'
import { Invitations, InviteDialog } from './invitations.tsx'
import * as styles from './people.module.css'
import { TeamPanel } from './team-panel.tsx'
import { NewTeamDialog, Teams } from './teams.tsx'
import { displayName, type Person } from './user-dialogs.tsx'
import { UserPanel } from './user-panel.tsx'

const views = ['users', 'invitations', 'teams'] as const
type View = (typeof views)[number]

/** Users, pending invitations, and teams with their content. */
export function People() {
  const { search } = useLocation()
  const mayChange = useMay()('administer')
  const [dialog, setDialog] = useState<'invite' | 'team'>()
  const openUser = search.get('user') ?? ''
  const openTeam = search.get('team') ?? ''
  const view = viewOf(search.get('view'), openTeam)
  const invited = useApiQuery('GET /invitation', {}).data?.Total
  const teams = useApiQuery('GET /team', {}).data?.Total
  const main = view === 'teams' ? 'team' : 'invite'
  useShortcuts(
    useMemo(
      () => (mayChange ? [{ keys: 'n', name: texts.people.main[main], run: () => setDialog(main) }] : []),
      [mayChange, main],
    ),
  )
  const counts = { users: undefined, invitations: invited, teams }
  return (
    <>
      <PageHeader
        title={texts.people.title}
        actions={
          mayChange && (
            <Button variant="primary" icon="plus" shortcut="n" onClick={() => setDialog(main)}>
              {texts.people.main[main]}
            </Button>
          )
        }
      >
        <Tabs
          label={texts.people.title}
          tabs={views.map((one) => ({
            href: hrefWith({ view: one === 'users' ? '' : one, user: '', team: '', q: '', role: '' }),
            label: texts.people.views[one],
            ...(counts[one] !== undefined && { count: counts[one] }),
            isCurrent: one === view,
          }))}
        />
      </PageHeader>
      <div className={styles.people}>
        {view === 'users' && <Users openId={openUser} />}
        {view === 'invitations' && <Invitations onInvite={() => setDialog('invite')} />}
        {view === 'teams' && <Teams openId={openTeam} />}
        {view === 'users' && openUser && (
          <UserPanel key={openUser} id={openUser} onClose={() => setSearch({ user: '' })} />
        )}
        {view === 'teams' && openTeam && (
          <TeamPanel key={openTeam} id={openTeam} onClose={() => setSearch({ team: '' })} />
        )}
      </div>
      {dialog === 'invite' && <InviteDialog onClose={() => setDialog(undefined)} />}
      {dialog === 'team' && <NewTeamDialog onClose={() => setDialog(undefined)} />}
    </>
  )
}

/** A link to a team need not name the view. */
const viewOf = (requested: string | null, team: string): View =>
  views.find((one) => one === requested) ?? (team ? 'teams' : 'users')

/** All users by name. */
export function Users({ openId }: { openId: string }) {
  const { search } = useLocation()
  const { User } = useSession()
  const q = search.get('q') ?? ''
  const role = roles.find((one) => one === search.get('role'))
  const {
    items,
    total,
    isLoading: isFirst,
    error,
    loadMore: more,
    retry,
  } = usePagedQuery('GET /user', {
    _count: 100,
    _order: 'name,1' as const,
    ...(q && { q }),
    ...(role && { role }),
  })
  const teams = useApiQuery('GET /team', {}).data?.Items ?? []
  const teamNames = (ids: readonly string[]) =>
    formatList(ids.map((id) => teams.find(({ Id }) => Id === id)?.Name ?? '…'))
  const columns: Column<Person>[] = [
    {
      id: 'name',
      label: texts.people.name,
      width: '26%',
      render: (one) => (
        <span className={styles.name}>
          <Avatar name={displayName(one)} />
          <span dir="auto">{displayName(one)}</span>
          {one.Id === User.Id && <small className={styles.you}>{texts.people.you}</small>}
        </span>
      ),
    },
    { id: 'role', label: texts.people.role, render: (one) => texts.shell.role[one.Role] },
    { id: 'email', label: texts.people.email, render: (one) => one.Email },
    { id: 'teams', label: texts.people.teams, render: (one) => <span dir="auto">{teamNames(one.TeamIds)}</span> },
    {
      id: 'seen',
      label: texts.people.lastSeen,
      render: (one) =>
        parseOptionalTimestamp(one.Invited) === undefined
          ? ago(one.LastSeen, texts.people.never)
          : texts.people.invitedNotCome,
    },
    {
      id: 'library',
      label: texts.people.library,
      render: (one) => (one.MediaLibrary ? texts.people.manages : texts.people.uses),
    },
  ]
  const isFiltered = q !== '' || role !== undefined
  return (
    <div className={`${tableStyles.page} ${styles.list}`}>
      <div className={styles.filters}>
        <SearchField
          label={texts.people.find}
          value={q}
          onChange={(text) => setSearch({ q: text }, { replace: true })}
        />
        <Filter
          label={texts.people.role}
          options={roles.map((value) => ({ value, label: texts.shell.role[value] }))}
          values={role ? [role] : []}
          onChange={(values) => setSearch({ role: values.at(-1) })}
        />
        {!isFirst && (
          <span className="muted tabular-nums">
            {plural(total, { one: texts.people.oneUser, other: texts.people.users })}
          </span>
        )}
      </div>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={retry} />}
      {isFirst && !error && <Loading />}
      {!isFirst && items.length === 0 && (
        <EmptyState icon="people" title={isFiltered ? texts.people.nothingFits : texts.people.none} />
      )}
      {items.length > 0 && (
        <Table
          label={texts.people.views.users}
          columns={columns}
          rows={items}
          rowId={({ Id }) => Id}
          rowLabel={({ Name }) => Name}
          openId={openId}
          onOpen={({ Id }) => setSearch({ user: Id })}
          onEndReached={more}
        />
      )}
    </div>
  )
}
