import { useState } from 'react'
import { type Role, roles } from '#kernel/permissions.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Select } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { Icon } from '../../../ui/marks/icons.tsx'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { calledBy, type Person } from './person.ts'

/** Another role for somebody: what it adds and takes away is told before. */
export function RoleDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { data, error, refetch } = useCall('GET /user/{id}/role', { id: person.Id }, { keepsLast: false })
  const [role, setRole] = useState<Role>(person.Role)
  const change = useChange('POST /user/{id}/role', {
    stale: ['GET /user', 'GET /user/{id}/role', 'GET /session'],
    done: () => {
      say(words.people.roleChanged(calledBy(person), words.shell.role[role]))
      onClose()
    },
  })
  const other = data?.Others.find(({ Role: one }) => one === role)
  const refuses = data?.IsLastAdmin
    ? words.people.lastAdmin
    : role === person.Role
      ? words.people.sameRole(words.shell.role[role])
      : undefined
  const save = () => {
    if (!refuses && !change.isPending) change.mutate({ id: person.Id, role })
  }
  return (
    <Dialog title={words.people.roleOf(calledBy(person))} onClose={onClose} onSubmit={save}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {change.error && <Problem {...told(change.error)} />}
      {!data && !error && <Waiting />}
      {data && (
        <>
          <Select
            label={words.people.role}
            value={role}
            options={roles.map((value) => ({ value, label: words.shell.role[value] }))}
            onChange={setRole}
            hint={data.IsLastAdmin ? words.people.lastAdmin : words.people.roleMay[role]}
          />
          <div className="role-change" aria-live="polite">
            {other && other.Adds.length > 0 && (
              <Changes title={words.people.adds} icon="plus" items={other.Adds.map(({ Words }) => Words)} />
            )}
            {other && other.Takes.length > 0 && (
              <Changes
                title={words.people.takes}
                icon="close"
                items={[
                  ...other.Takes.map(({ Words }) => Words),
                  ...(other.TakesLibrary ? [words.people.takesLibrary] : []),
                ]}
              />
            )}
            {other && <p className="hint">{words.people.countsAtOnce(data.Sessions, data.ApiKeys)}</p>}
          </div>
        </>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" refuses={refuses} busy={change.isPending}>
          {words.people.changeRole}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const Changes = ({ title, icon, items }: { title: string; icon: 'plus' | 'close'; items: readonly string[] }) => (
  <section className="role-part" data-takes={icon === 'close' || undefined}>
    <h3>{title}</h3>
    <ul>
      {items.map((item) => (
        <li key={item}>
          <Icon name={icon} />
          {item}
        </li>
      ))}
    </ul>
  </section>
)
