import { useState } from 'react'
import { told, useCall, useChange } from '@/api/queries.ts'
import { useMay, useWho } from '@/api/session.ts'
import { dayAndClock, list, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { momentIfAny } from '@/time/days.ts'
import { Face } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { ManyCombobox } from '@/ui/combobox.tsx'
import { Switch } from '@/ui/field.tsx'
import { Fact, Panel } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { ChangingUser, calledBy, DeletingUser, type Person, RoleDialog } from './user-dialogs.tsx'

const refused = ({ message }: { message: string }) => say(message, { kind: 'problem' })

/** Somebody: what they may do, which teams they are in, when they were here last. */
export function UserPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const mayChange = useMay()('administer')
  const [asked, setAsked] = useState<'role' | 'change' | 'delete'>()
  const { data, error, refetch } = useCall('GET /user', { id }, { keepsLast: false })
  const [person] = data?.Items ?? []
  const close = () => setAsked(undefined)
  return (
    <Panel
      title={
        person ? (
          <span className="people-name">
            <Face name={calledBy(person)} />
            <span dir="auto">{calledBy(person)}</span>
          </span>
        ) : (
          words.people.title
        )
      }
      onClose={onClose}
      actions={
        person &&
        mayChange && (
          <>
            <Button icon="write" onClick={() => setAsked('change')}>
              {words.people.change}
            </Button>
            <Button kind="danger" icon="trash" onClick={() => setAsked('delete')}>
              {words.people.delete}
            </Button>
          </>
        )
      }
    >
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && !person && <p>{words.people.noSuchUser}</p>}
      {person && (
        <>
          <section className="user-role">
            <div>
              <h3 className="frame-label">{words.people.role}</h3>
              <p>
                <strong>{words.shell.role[person.Role]}</strong>
              </p>
              <p className="hint">{words.people.roleMay[person.Role]}</p>
            </div>
            {mayChange && <Button onClick={() => setAsked('role')}>{words.people.changeRole}</Button>}
          </section>
          <UserTeams person={person} mayChange={mayChange} />
          <LibraryRight person={person} mayChange={mayChange} />
          <Facts person={person} />
          {asked === 'role' && <RoleDialog person={person} onClose={close} />}
          {asked === 'change' && <ChangingUser person={person} onClose={close} />}
          {asked === 'delete' && <DeletingUser person={person} onClose={close} onDone={onClose} />}
        </>
      )}
    </Panel>
  )
}

interface PartProps {
  person: Person
  mayChange: boolean
}

const stale = ['GET /user', 'GET /team', 'GET /team/{id}/entity'] as const

/** What they see beside what is open to all. */
function UserTeams({ person, mayChange }: PartProps) {
  const teams = useCall('GET /team', {}).data?.Items ?? []
  const add = useChange('v2 POST /team-entity/{entityId}', { stale, refused })
  const take = useChange('v2 DELETE /team-entity/{entityId}', { stale, refused })
  const change = (values: readonly string[]) => {
    const added = values.filter((value) => !person.TeamIds.includes(value))
    const taken = person.TeamIds.filter((value) => !values.includes(value))
    if (added.length > 0) add.mutate({ entityId: person.Id, teamIds: added })
    if (taken.length > 0) take.mutate({ entityId: person.Id, teamIds: taken })
  }
  const hint = person.Role === 'admin' ? words.people.adminsSeeAll : words.people.teamsWhy
  if (mayChange)
    return (
      <ManyCombobox
        label={words.people.teams}
        placeholder={words.people.addToTeam}
        hint={hint}
        options={teams.map(({ Id, Name }) => ({ value: Id, label: Name }))}
        values={person.TeamIds}
        onChange={change}
      />
    )
  const names = teams.filter(({ Id }) => person.TeamIds.includes(Id)).map(({ Name }) => Name)
  return (
    <dl>
      <Fact name={words.people.teams}>
        <span dir="auto">{names.length > 0 ? list(names) : words.people.noTeam}</span>
      </Fact>
    </dl>
  )
}

function LibraryRight({ person, mayChange }: PartProps) {
  const change = useChange('POST /user/{id}/media-library', { stale: ['GET /user'], refused })
  const may = change.isPending ? Boolean(change.variables.mediaLibrary) : person.MediaLibrary === 1
  if (!mayChange || person.Role === 'read')
    return (
      <dl>
        <Fact name={words.people.library}>{person.MediaLibrary ? words.people.manages : words.people.uses}</Fact>
      </dl>
    )
  return (
    <Switch
      label={words.people.managesLibrary}
      hint={words.people.managesLibraryWhy}
      checked={may}
      onChange={(mediaLibrary) => change.mutate({ id: person.Id, mediaLibrary })}
    />
  )
}

function Facts({ person }: { person: Person }) {
  const { User } = useWho()
  const seen = momentIfAny(person.LastSeen)
  const invited = momentIfAny(person.Invited)
  return (
    <dl className="user-facts">
      <Fact name={words.people.email}>{person.Email}</Fact>
      <Fact name={words.people.zone}>{person.Timezone}</Fact>
      <Fact name={words.people.lastSeen}>
        {person.Id === User.Id ? words.people.now : seen === undefined ? words.people.never : dayAndClock(seen)}
      </Fact>
      <Fact name={words.people.since}>{shortDay(momentIfAny(person.Created) ?? 0)}</Fact>
      {invited !== undefined && <Fact name={words.people.invited}>{dayAndClock(invited)}</Fact>}
      {person.Status === 'disabled' && <Fact name={words.people.status}>{words.people.disabled}</Fact>}
    </dl>
  )
}
