import { useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay, useSession } from '@/api/session.ts'
import { formatDate, formatDateTime, formatList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { parseOptionalTimestamp } from '@/time/days.ts'
import { Avatar } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { MultiCombobox } from '@/ui/combobox.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { Switch } from '@/ui/field.tsx'
import { Detail, Panel } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './people.module.css'
import { DeleteUserDialog, displayName, EditUserDialog, type Person, RoleDialog } from './user-dialogs.tsx'

const onError = ({ message }: { message: string }) => toast(message, { kind: 'problem' })

/** One user: permissions, teams and last activity. */
export function UserPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const mayChange = useMay()('administer')
  const [dialog, setDialog] = useState<'role' | 'change' | 'delete'>()
  const { data, error, refetch } = useApiQuery('GET /user', { id }, { keepPrevious: false })
  const [person] = data?.Items ?? []
  const close = () => setDialog(undefined)
  return (
    <Panel
      title={
        person ? (
          <span className={styles.name}>
            <Avatar name={displayName(person)} />
            <span dir="auto">{displayName(person)}</span>
          </span>
        ) : (
          texts.people.title
        )
      }
      onClose={onClose}
      actions={
        person &&
        mayChange && (
          <>
            <Button icon="write" onClick={() => setDialog('change')}>
              {texts.people.change}
            </Button>
            <Button variant="danger" icon="trash" onClick={() => setDialog('delete')}>
              {texts.people.delete}
            </Button>
          </>
        )
      }
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && !person && <p>{texts.people.noSuchUser}</p>}
      {person && (
        <>
          <section className={styles.userRole}>
            <div>
              <h3 className={fieldStyles.frameLabel}>{texts.people.role}</h3>
              <p>
                <strong>{texts.shell.role[person.Role]}</strong>
              </p>
              <p className={fieldStyles.hint}>{texts.people.roleMay[person.Role]}</p>
            </div>
            {mayChange && <Button onClick={() => setDialog('role')}>{texts.people.changeRole}</Button>}
          </section>
          <UserTeams person={person} mayChange={mayChange} />
          <LibraryRight person={person} mayChange={mayChange} />
          <Facts person={person} />
          {dialog === 'role' && <RoleDialog person={person} onClose={close} />}
          {dialog === 'change' && <EditUserDialog person={person} onClose={close} />}
          {dialog === 'delete' && <DeleteUserDialog person={person} onClose={close} onDone={onClose} />}
        </>
      )}
    </Panel>
  )
}

interface PartProps {
  person: Person
  mayChange: boolean
}

const invalidates = ['GET /user', 'GET /team', 'GET /team/{id}/entity'] as const

/** Teams that give access to restricted content. */
function UserTeams({ person, mayChange }: PartProps) {
  const teams = useApiQuery('GET /team', {}).data?.Items ?? []
  const add = useApiMutation('v2 POST /team-entity/{entityId}', { invalidates, onError })
  const removeEntity = useApiMutation('v2 DELETE /team-entity/{entityId}', { invalidates, onError })
  const change = (values: readonly string[]) => {
    const added = values.filter((value) => !person.TeamIds.includes(value))
    const removed = person.TeamIds.filter((value) => !values.includes(value))
    if (added.length > 0) add.mutate({ entityId: person.Id, teamIds: added })
    if (removed.length > 0) removeEntity.mutate({ entityId: person.Id, teamIds: removed })
  }
  const hint = person.Role === 'admin' ? texts.people.adminsSeeAll : texts.people.teamsWhy
  if (mayChange)
    return (
      <MultiCombobox
        label={texts.people.teams}
        placeholder={texts.people.addToTeam}
        hint={hint}
        options={teams.map(({ Id, Name }) => ({ value: Id, label: Name }))}
        values={person.TeamIds}
        onChange={change}
      />
    )
  const names = teams.filter(({ Id }) => person.TeamIds.includes(Id)).map(({ Name }) => Name)
  return (
    <dl>
      <Detail name={texts.people.teams}>
        <span dir="auto">{names.length > 0 ? formatList(names) : texts.people.noTeam}</span>
      </Detail>
    </dl>
  )
}

function LibraryRight({ person, mayChange }: PartProps) {
  const change = useApiMutation('POST /user/{id}/media-library', { invalidates: ['GET /user'], onError })
  const may = change.isPending ? Boolean(change.variables.mediaLibrary) : person.MediaLibrary === 1
  if (!mayChange || person.Role === 'read')
    return (
      <dl>
        <Detail name={texts.people.library}>{person.MediaLibrary ? texts.people.manages : texts.people.uses}</Detail>
      </dl>
    )
  return (
    <Switch
      label={texts.people.managesLibrary}
      hint={texts.people.managesLibraryWhy}
      checked={may}
      onChange={(mediaLibrary) => change.mutate({ id: person.Id, mediaLibrary })}
    />
  )
}

function Facts({ person }: { person: Person }) {
  const { User } = useSession()
  const lastSeen = parseOptionalTimestamp(person.LastSeen)
  const invited = parseOptionalTimestamp(person.Invited)
  return (
    <dl className={styles.userFacts}>
      <Detail name={texts.people.email}>{person.Email}</Detail>
      <Detail name={texts.people.zone}>{person.Timezone}</Detail>
      <Detail name={texts.people.lastSeen}>
        {person.Id === User.Id
          ? texts.people.now
          : lastSeen === undefined
            ? texts.people.never
            : formatDateTime(lastSeen)}
      </Detail>
      <Detail name={texts.people.since}>{formatDate(parseOptionalTimestamp(person.Created) ?? 0)}</Detail>
      {invited !== undefined && <Detail name={texts.people.invited}>{formatDateTime(invited)}</Detail>}
      {person.Status === 'disabled' && <Detail name={texts.people.status}>{texts.people.disabled}</Detail>}
    </dl>
  )
}
