import { useMemo, useState } from 'react'
import { useKeys } from '../../../shell/keys.ts'
import { changeSearch, useAddress, withSearch } from '../../../shell/router.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Bar } from '../../../ui/layout/bar.tsx'
import { Tabs } from '../../../ui/layout/tabs.tsx'
import { useCall } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { Invitations } from './invitations.tsx'
import { Inviting } from './inviting.tsx'
import { NewTeam } from './team-dialogs.tsx'
import { TeamPanel } from './team-panel.tsx'
import { Teams } from './teams.tsx'
import { UserPanel } from './user-panel.tsx'
import { Users } from './users.tsx'

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
